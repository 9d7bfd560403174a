/** The end of a call: its entry is a fold over what the stages returned, beside the settlement of its reservation. */
import { type EndedCall, endedWith, type KnownCall } from '#core/chat/call-stages.ts';
import { ModelProgress } from '#core/chat/model-progress.ts';
import { settle } from '#core/chat/stages/settle.ts';
import type { ChatRecord } from '#core/contracts/chat.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { dialects } from '#core/models/dialects/dialects.ts';
import { completion, type StageSetting, stageSetting } from '../../../support/chat-stages.ts';

const progressOf = (): ModelProgress => {
  const progress = new ModelProgress();
  progress.readReply(dialects.openai, completion('Hi.'));
  return progress;
};
const answered = (setting: StageSetting): KnownCall => ({
  ...setting.looked(),
  ...{ progress: progressOf(), provider: 'first', region: 'eu-west-1', rollout: undefined, attempts: [], leftOut: [] },
  outputVerdict: { decision: 'allow', findings: [] },
});
const ended = (known: KnownCall, over: Partial<EndedCall> = {}): EndedCall => ({
  known,
  ending: endedWith('completed'),
  status: 200,
  ...over,
});
const recordIn = ({ ledger }: StageSetting): ChatRecord => ledger.entries.at(-1)!.body as unknown as ChatRecord;
const refusal = (error: GatewayError['code'], matchedRule?: string): EndedCall['ending'] => ({
  ...endedWith('refused', error),
  ruling: matchedRule === undefined ? undefined : { decision: 'block', matchedRule },
});

test('[chat.completions] an answered call has one entry of counts and names, and its hash is returned', async () => {
  const setting = await stageSetting();
  const recorded = await settle(setting.ports, ended(answered(setting)), 'trace-1');
  expect(setting.ledger.entries).toHaveLength(1);
  expect(recorded).toMatchObject({ hash: setting.ledger.entries[0]!.hash, latencyMs: 0 });
  expect(recordIn(setting)).toMatchObject({
    ...{
      decision: 'allow',
      outcome: 'completed',
      status: 200,
      provider: 'first',
      region: 'eu-west-1',
      finish_reason: 'stop',
    },
    ...{
      usage: { input_tokens: 7, output_tokens: 5 },
      request_sha256: 'as-it-came',
      trace_id: 'trace-1',
      policy_version: 3,
    },
  });
  expect(JSON.stringify(setting.ledger.entries)).not.toContain('Hello.');
  expect(setting.seen.settled).toMatchObject([{ tokens: 12, counted: true }]);
});

test('[chat.input-policy] a call that ended half-way is recorded with what was known until then', async () => {
  const setting = await stageSetting();
  const finding = { policy: 'no', type: 'keyword', action: 'block', phase: 'input', count: 1 } as const;
  const known = {
    ...setting.screened(),
    inputVerdict: { decision: 'block', matched_rule: 'content:no', findings: [finding] },
  } as const;
  await settle(setting.ports, ended(known, { ending: endedWith('blocked', 'policy_violation'), status: 403 }), '');
  expect(recordIn(setting)).toMatchObject({
    decision: 'block',
    outcome: 'blocked',
    status: 403,
    matched_rule: 'content:no',
    findings: [finding],
  });
  for (const absent of ['provider', 'finish_reason', 'attempts', 'cache', 'trace_id'])
    expect(recordIn(setting)).not.toHaveProperty(absent);
  expect(recordIn(setting).usage).toEqual({ input_tokens: 0, output_tokens: 0 });
  expect(setting.ledger.entries[0]!.body).toHaveProperty('behavior');
});

test('[limit.rate.fails-closed] one that failed before it was let in has nothing to settle, and the digest of its request', async () => {
  const setting = await stageSetting();
  await settle(
    setting.ports,
    ended(setting.running(), { ending: endedWith('failed', 'service_unavailable'), status: 503 }),
    '',
  );
  expect(recordIn(setting)).toMatchObject({
    outcome: 'failed',
    request_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(setting.seen.settled).toEqual([]);
});

test.each([
  ['a rate limit', refusal('rate_limit_error'), 0],
  ["another key's session", refusal('forbidden'), 0],
  ['a model that is not allowed', refusal('model_not_allowed', 'model:m'), 1],
  ['a review, which has its own entry', endedWith('review'), 0],
] as const)(
  '[limit.rate] [session.owner] the entries of a call that was refused by %s',
  async (_by, ending, entries) => {
    const setting = await stageSetting();
    expect(await settle(setting.ports, ended(setting.admitted(), { ending }), '')).toEqual(
      entries === 0 ? undefined : expect.anything(),
    );
    expect(setting.ledger.entries).toHaveLength(entries);
  },
);

test('[limit.budget] of refusals by one budget the first of a minute is recorded', async () => {
  const setting = await stageSetting();
  const refused = ended(setting.admitted(), { ending: refusal('budget_exceeded', 'budget:settle-test'), status: 429 });
  setting.now.ms += 10 * 60_000;
  for (let n = 0; n < 3; n++) await settle(setting.ports, refused, '');
  expect(setting.ledger.entries).toHaveLength(1);
});

test.each([
  ['completed', 'executed'],
  ['failed', 'failed'],
] as const)(
  '[chat.review-once] a call that %s consumes its approval as %s, in the transaction of its entry',
  async (outcome, status) => {
    const setting = await stageSetting();
    const approval = { id: '99999999-2222-3333-4444-555555555555', matchedRule: 'approved:9', head: null };
    await settle(setting.ports, ended({ ...answered(setting), approval }, { ending: endedWith(outcome) }), '');
    expect(recordIn(setting)).toMatchObject({
      decision: 'allow',
      matched_rule: 'approved:9',
      approval_ref: approval.id,
    });
    expect(JSON.stringify(setting.ledger.changes)).toContain(status);
  },
);

test('[session.owner.race] a session that another key has opened meanwhile refuses the answer, and the call is recorded apart', async () => {
  const setting = await stageSetting();
  const foreign = new GatewayError('forbidden', 'another key');
  const { ledger } = setting;
  const commit: typeof ledger.commit = (step) =>
    step.draft.session_id === 's-1' ? Promise.reject(foreign) : ledger.commit(step);
  await expect(settle({ ...setting.ports, ledger: { commit } }, ended(answered(setting)), '')).rejects.toBe(foreign);
  expect(ledger.entries).toMatchObject([
    { session_id: 'refused-11111111-2222-3333-4444-555555555555', body: { refused_session: 's-1' } },
  ]);
});

test('[limit.lease] a settlement that fails is left to the end of the lease', async () => {
  const setting = await stageSetting();
  const counters = { ...setting.ports.counters, settle: () => Promise.reject(new Error('busy')) };
  expect(await settle({ ...setting.ports, counters }, ended(answered(setting)), '')).toBeDefined();
  expect(setting.seen.logs).toContain('a reservation waits for its lease to end');
});
