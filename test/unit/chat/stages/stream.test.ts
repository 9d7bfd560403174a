/** A stream on its way to the caller: what it sends, and what is known however it ends. */

import { usageOf } from '#core/chat/call-usage.ts';
import { callModel } from '#core/chat/stages/provider-call.ts';
import { lookUp } from '#core/chat/stages/response-cache.ts';
import { Cancelled } from '#core/execution/cancellation/watch.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { ProviderFault } from '#core/models/providers/ports.ts';
import {
  chunks,
  failureOf,
  keptAnswer,
  type StageSetting,
  stageSetting,
  streamOf,
} from '../../../support/chat-stages.ts';

const off = 'cache: { enabled: false }';
const stream = async (
  setting: StageSetting,
  events: AsyncIterable<JsonObject>,
  body: JsonObject = {},
  over: object = {},
) => {
  setting.script.answer = async () => ({ type: 'stream', events });
  const { answering, kept } = keptAnswer();
  const finished = callModel(
    setting.ports,
    { ...setting.looked({ stream: true, ...body }), ...over },
    setting.policy,
    answering,
  );
  return { kept, finished };
};
const said = (events: readonly JsonObject[]): string =>
  events.map(({ choices }) => (choices as { delta?: { content?: string } }[])[0]?.delta?.content ?? '').join('');

test('[chat.completions] a stream reaches the caller event by event, is counted, and its time to the first token is known', async () => {
  const setting = await stageSetting(off);
  async function* late() {
    setting.now.ms += 250;
    yield* chunks('one ', 'two');
  }
  const { kept, finished } = await stream(setting, late());
  const { known, ending } = await finished;
  expect(said(kept.events)).toBe('one two');
  expect(kept.events.some(({ usage }) => usage)).toBe(false);
  expect(ending.outcome).toBe('completed');
  expect(known.progress).toMatchObject({ firstTokenMs: 250, finishReason: 'stop' });
  expect(usageOf(known)).toEqual({ input_tokens: 7, output_tokens: 5 });
  expect(setting.timers.size).toBe(0);
});

test('[chat.completions] headers of a stream are those of what was known when it began', async () => {
  const { kept, finished } = await stream(await stageSetting(off), streamOf(...chunks('one')));
  await finished;
  expect(kept.began).toMatchObject({ provider: 'first' });
  expect(kept.began).not.toHaveProperty('outputVerdict');
});

test('[chat.output-policy] a block in a stream keeps what was said before it, and charges for all the model said', async () => {
  const setting = await stageSetting(
    `${off}\npolicies: { output: [{ name: no, type: keyword, action: block, keywords: [secret] }] }`,
  );
  const { kept, finished } = await stream(setting, streamOf(...chunks('fine. ', 'a ', 'secret', ' more')));
  const { known, ending } = await failureOf(finished);
  expect(said(kept.events)).not.toContain('secret');
  expect(ending).toMatchObject({ outcome: 'blocked', error: 'policy_violation' });
  expect(known).toMatchObject({ provider: 'first', outputVerdict: { decision: 'block', matched_rule: 'content:no' } });
  expect(usageOf(known)).toMatchObject({ estimated: true });
  expect(setting.seen.spans.map(({ name }) => name)).toEqual([
    'provider.call',
    'provider.openai',
    'policy.check_output',
  ]);
  expect(setting.seen.counts).toContain('svc_policy_violations_total no block');
});

test('[chat.provider-error] a stream that breaks off is a failure of its provider, charged as far as it came', async () => {
  const setting = await stageSetting(off);
  const { finished } = await stream(
    setting,
    streamOf(chunks('a'.repeat(40))[0]!, new ProviderFault('first', 'broken', 'x')),
  );
  const { known, ending } = await failureOf(finished);
  expect(ending).toMatchObject({ outcome: 'failed', error: 'provider_error' });
  expect(usageOf(known)).toEqual({ input_tokens: known.call.inputTokens, output_tokens: 10, estimated: true });
  expect(setting.seen.counts).toContain('svc_provider_errors_total first');
  expect(setting.timers.size).toBe(0);
});

test('[chat.streams-cut] a provider that never stops is one that is broken', async () => {
  const setting = await stageSetting(off);
  async function* endless(): AsyncGenerator<JsonObject> {
    for (;;) yield chunks('x'.repeat(64 * 1024))[0]!;
  }
  const { finished } = await stream(setting, endless());
  expect((await failureOf(finished)).ending).toMatchObject({ outcome: 'failed', error: 'provider_error' });
});

test.each([
  ['leaves', undefined, undefined],
  ['cancels', new Cancelled('key-1'), 'request_cancelled'],
] as const)('[chat.abort] a caller who %s ends the stream, and pays for what was said', async (_how, reason, code) => {
  const setting = await stageSetting(off);
  async function* leaving() {
    const [first, ...rest] = chunks('a'.repeat(40), 'more');
    yield first!;
    setting.leave(reason);
    yield* rest;
  }
  const { finished } = await stream(setting, leaving());
  const { known, ending } = code === undefined ? await finished : await failureOf(finished);
  expect(ending).toMatchObject({ outcome: 'aborted', error: code });
  expect(known).toMatchObject({ provider: 'first', outputVerdict: { decision: 'allow' } });
  expect(usageOf(known)).toMatchObject({ output_tokens: 11, estimated: true });
});

test('[limit.lease] [auth.revoked-key] while it runs its reservation is extended, and a key that is revoked ends it', async () => {
  const setting = await stageSetting(off);
  const extended: string[] = [];
  const { identities } = setting.snapshot;
  const revoked = { ...setting.snapshot, identities: { ...identities, byKeyId: new Map() } };
  const ports = {
    ...setting.ports,
    counters: { ...setting.ports.counters, extend: async (_tenant: string, id: string) => void extended.push(id) },
    snapshots: { ...setting.ports.snapshots, current: async () => revoked },
  };
  async function* long() {
    const [first, ...rest] = chunks('one', 'two');
    yield first!;
    setting.timers.pass(20_000);
    setting.timers.pass(4_000);
    await new Promise((resolve) => setImmediate(resolve));
    yield* rest;
  }
  const { finished } = await stream({ ...setting, ports }, long());
  const { known, ending } = await failureOf(finished);
  expect(extended).toEqual([known.call.envelopeId]);
  expect(ending).toMatchObject({ outcome: 'refused', error: 'authentication_error' });
});

test('[chat.cache] a whole stream that the cache missed is kept as the reply it makes', async () => {
  const setting = await stageSetting();
  const missed = await lookUp(setting.ports, setting.approved({ stream: true }));
  const { finished } = await stream(setting, streamOf(...chunks('one ', 'two')), {}, missed);
  await finished;
  const { lookup } = await lookUp(setting.ports, setting.approved());
  expect(lookup).toMatchObject({ state: 'HIT', cached: { reply: { choices: [{ message: { content: 'one two' } }] } } });
});
