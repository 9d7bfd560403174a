/** The flow of a chat call over ports in memory: the order of its store steps, and ends that no stage has foreseen. */
import { chat } from '#core/chat/pipeline.ts';
import { headersOf } from '#core/chat/recorded-failure.ts';
import type { GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { chunks, completion, type StageSetting, stageSetting, streamOf } from '../../support/chat-stages.ts';

const ask = ({ ports, running }: StageSetting, body: JsonObject = {}) => {
  const { operation: _, ...request } = running(body).call;
  return chat(ports, request);
};
const faultOf = (reply: Promise<unknown>): Promise<GatewayError> =>
  reply.then(
    () => Promise.reject(new Error('it was answered')),
    (fault: GatewayError) => fault,
  );

test('[chat.pipeline.order] a call is let in, answered and recorded, with one store step before the provider and one behind it', async () => {
  const setting = await stageSetting('cache: { enabled: false }');
  const order: string[] = [];
  const noted =
    <A extends readonly unknown[], R>(name: string, work: (...given: A) => R) =>
    (...given: A): R => {
      order.push(name);
      return work(...given);
    };
  const { counters, evidence, ledger } = setting.ports;
  const ports = {
    ...setting.ports,
    counters: { ...counters, reserve: noted('reserve', counters.reserve), settle: noted('settle', counters.settle) },
    evidence: { ...evidence, head: noted('head', evidence.head) },
    ledger: { commit: noted('commit', ledger.commit) },
  };
  const scripted = setting.script.answer;
  setting.script.answer = noted('provider', scripted);
  const reply = await ask({ ...setting, ports });
  await reply.finished;
  expect(reply).toMatchObject({ status: 200, body: completion('Hi.') });
  expect(reply.headers['x-envelope-id']).toBe(setting.ledger.entries[0]!.envelope_id);
  expect(order).toEqual(['reserve', 'head', 'provider', 'commit', 'settle']);
});

test('[chat.pipeline.order] a fault that no stage has named is recorded and settled with what was known, and its headers are sent', async () => {
  const setting = await stageSetting();
  setting.script.reserved = { ok: true, limits: { limit_requests: 5, remaining_requests: 4 }, budgets: [] };
  const cache = { ...setting.ports.cache, takeEvictions: () => 0, lookup: () => Promise.reject(new Error('a bug')) };
  const fault = await faultOf(ask({ ...setting, ports: { ...setting.ports, cache } }));
  expect(fault.code).toBe('server_error');
  expect(headersOf(fault)).toMatchObject({ 'x-ratelimit-remaining-requests': '4' });
  expect(setting.ledger.entries).toMatchObject([{ body: { outcome: 'failed', status: 500, error: 'server_error' } }]);
  expect(setting.seen.settled).toMatchObject([{ tokens: 0 }]);
});

test.each([[{}], [{ stream: true }]])(
  '[evidence.chat] an answer that cannot be recorded is not given: %j',
  async (body) => {
    const setting = await stageSetting('cache: { enabled: false }');
    setting.script.answer = async ({ stream }) =>
      stream ? { type: 'stream', events: streamOf(...chunks('Hi.')) } : { type: 'json', body: completion('Hi.') };
    const ledger = { commit: () => Promise.reject(new Error('no store')) };
    const reply = ask({ ...setting, ports: { ...setting.ports, ledger } }, body);
    if (!('stream' in body)) return expect((await faultOf(reply)).code).toBe('server_error');
    const events: JsonObject[] = [];
    for await (const event of (await reply).body as AsyncIterable<JsonObject>) events.push(event);
    expect(events.at(-1)).toHaveProperty('error');
  },
);

test('[chat.completions] a stream that fails keeps the status that its caller has seen, and ends in an event', async () => {
  const setting = await stageSetting('cache: { enabled: false }');
  setting.script.answer = async () => ({ type: 'stream', events: streamOf(chunks('Hi.')[0]!, new Error('broken')) });
  const reply = await ask(setting, { stream: true });
  const events: JsonObject[] = [];
  for await (const event of reply.body as AsyncIterable<JsonObject>) events.push(event);
  await reply.finished;
  expect(events.at(-1)).toHaveProperty('error');
  expect(setting.ledger.entries).toMatchObject([{ body: { outcome: 'failed', status: 200, provider: 'first' } }]);
});
