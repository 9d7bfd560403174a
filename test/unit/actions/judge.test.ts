/** The worst of the sources decides: a task that a call leaves blocks what a rule would let a human decide. */
import { evaluate, type JudgeInput, judge } from '#core/actions/judge.ts';
import { configurationSchema } from '#core/contracts/config.ts';
import type { Decision } from '#core/contracts/envelope.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import type { Loose } from '../../support/loose.ts';

const configuration = configurationSchema.parse({
  ...{ version: 1, tenants: [{ id: 't', api_keys: ['k'] }] },
  manifests: { enforcement_mode: 'enforce' },
});
const manifest = {
  ...{ id: 'task-1', tenant: 't', name: 'read', tools: ['scm.get_*'], risk_tier: 'high' },
  ...{
    expires_at: '2027-01-01T00:00:00.000Z',
    created_at: '2026-01-01T00:00:00.000Z',
    created_by: 'alice',
    sessions: ['s'],
  },
};
const call = { protocol: 'git', tool: 'scm.delete_repo', target: 'a/b', capability: 'delete', parameters: {} };

const judged = async (decision: Decision, attached: boolean) =>
  (
    await judge({
      snapshot: { configuration },
      envelope: {
        ...call,
        tenant: 't',
        key_id: 'k',
        envelope_id: 'e',
        actor: { agent: 'x', session: 's' },
        justification: '',
      },
      effects: { parts: [], carrier: false },
      evaluated: { decision, matched_rule: 'git:*', policy: 'p' },
      ...{ callDigest: 'd', head: undefined, scored: false, nowMs: Date.UTC(2026, 5, 1) },
      attached: attached ? { manifests: [manifest], unknown: undefined } : undefined,
      standing: { session: undefined, key: undefined },
    } as unknown as JudgeInput)
  ).decision;

test.each(['allow', 'review'] as const)(
  '[action.worst-wins] leaving a task blocks what would be %s',
  async (decision) => {
    expect(await judged(decision, true)).toMatchObject({
      decision: 'block',
      matched_rule: 'manifest:task-1',
      policy: 'p',
    });
  },
);

test('[action.worst-wins] a block by a rule keeps its rule, and without a task the rule decides', async () => {
  expect(await judged('block', true)).toMatchObject({ decision: 'block', matched_rule: 'git:*' });
  expect(await judged('review', false)).toMatchObject({ decision: 'review', matched_rule: 'git:*' });
});

describe('what does not depend on the caller', () => {
  const policy = compilePolicy({ name: 'p', default_decision: 'allow', rules: [] });
  const sandbox = (configuration as Loose).sandbox;
  const evaluated = (given: Loose, effects: Loose = { parts: [] }, settings: Loose = sandbox) =>
    evaluate({ policy, configuration: { sandbox: settings } }, { ...call, ...given }, effects);

  test('the policy decides where nothing else has a say', async () => {
    expect(await evaluated({})).toMatchObject({ decision: 'allow', matched_rule: 'default', policy: 'p' });
  });

  test('a secret in executable text is refused before the policy is asked', async () => {
    const parameters = { script: 'curl -H ghp_0123456789abcdefghijklmnopqrstuvwxyz x' };
    expect(await evaluated({ protocol: 'mcp', parameters })).toMatchObject({
      decision: 'block',
      matched_rule: 'effects:secret',
    });
  });

  test('the limits on effects hold for the parts of a call, else for the call itself', async () => {
    const outside = { decision: 'block', matched_rule: expect.stringMatching(/^sandbox:/), policy: 'p' };
    const to = (host: string) => ({ ...call, protocol: 'http', tool: 'http.get', parameters: { host } });
    const limits = { ...sandbox, http: { ...sandbox.http, allowed_hosts: ['api.example'] } };
    expect(await evaluated(to('evil.example'), { parts: [] }, limits)).toMatchObject(outside);
    expect(await evaluated({}, { parts: [to('evil.example')] }, limits)).toMatchObject(outside);
    expect((await evaluated(to('evil.example'), { parts: [to('api.example')] }, limits)).decision).toBe('allow');
    expect((await evaluated(to('api.example'), { parts: [] }, limits)).decision).toBe('allow');
  });
});
