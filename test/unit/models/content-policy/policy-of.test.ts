import type { Configuration, ContentFilter } from '#core/contracts/config.ts';
import { contentPolicyOf } from '#core/models/content-policy/policy-of.ts';

const wasm = { check: () => Promise.reject(new Error('no WASM filter is configured')) };
const filter = { name: 'f', type: 'keyword', keywords: ['secret'], action: 'block' } as ContentFilter;
const strips = { response: { strip_pii: true } };

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

describe('the content policy that applies to a call', () => {
  test.each([
    ['an input filter', { input: [filter] }, { inputIdle: false, outputIdle: true }],
    ['an output filter', { output: [filter] }, { inputIdle: true, outputIdle: false }],
    ['stripping for everyone', { transform: strips }, { inputIdle: true, outputIdle: false }],
    ['stripping for this tenant', { own: strips }, { inputIdle: true, outputIdle: false }],
  ])('looks with %s', async (_name, changes, idle) => {
    expect(await policyOf(changes)).toMatchObject(idle);
  });
});
