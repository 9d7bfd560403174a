import type { Configuration, ContentFilter } from '#core/contracts/config.ts';
import { contentPolicyOf } from '#core/models/content-policy/policy-of.ts';
import { context } from '../../../support/content-policy.ts';

const wasm = { check: () => Promise.reject(new Error('no WASM filter is configured')) };
const filter = { name: 'f', type: 'keyword', keywords: ['secret'], action: 'block' } as ContentFilter;
const strips = { response: { strip_pii: true } };
const text = (given: string) => ({ text: given, set: () => {} });

const policyOf = (changes: { input?: ContentFilter[]; output?: ContentFilter[]; transform?: object; own?: object }) =>
  contentPolicyOf(
    {
      policies: { governance_mode: 'governance', break_glass: false, input: [], output: [], ...changes },
      transform: changes.transform ?? {},
      tenants: [{ id: 'acme', transform: changes.own }, { id: 'other' }],
    } as unknown as Configuration,
    'acme',
    { wasm, texts: undefined },
  );

describe('the policy of a call', () => {
  test('is idle where no filter is configured, and lets texts through unchanged', async () => {
    const policy = await policyOf({});
    expect(policy).toMatchObject({ inputIdle: true, outputIdle: true });
    expect(await policy.checkInput([text('a secret')], context)).toEqual({ decision: 'allow', findings: [] });
    expect(await policy.checkOutput([text('a secret')], context)).toEqual({ decision: 'allow', findings: [] });
    const scan = policy.streamOutput(context);
    expect([scan.push('0', 'a secret'), scan.end('0'), scan.open(), scan.verdict().decision]).toEqual([
      'a secret',
      '',
      [],
      'allow',
    ]);
  });

  test.each([
    ['an input filter', { input: [filter] }, { inputIdle: false, outputIdle: true }],
    ['an output filter', { output: [filter] }, { inputIdle: true, outputIdle: false }],
    ['stripping for everyone', { transform: strips }, { inputIdle: true, outputIdle: false }],
    ['stripping for this tenant', { own: strips }, { inputIdle: true, outputIdle: false }],
  ])('looks with %s', async (_name, changes, idle) => {
    expect(await policyOf(changes)).toMatchObject(idle);
  });

  test('blocks what a filter blocks', async () => {
    const policy = await policyOf({ input: [filter] });
    expect(await policy.checkInput([text('a secret')], context)).toMatchObject({ decision: 'block' });
  });
});
