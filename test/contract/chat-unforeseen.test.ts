/** Chat calls whose store, cache or provider fails: answer, evidence and charge. */
import type { JsonObject } from '#core/kernel/json.ts';
import type { Provider, ProviderCall, ProviderReply } from '#core/models/providers/ports.ts';
import { caller } from '../support/call-endpoint.ts';
import { chatRecordsOf } from '../support/evidence-of.ts';
import type { Loose } from '../support/loose.ts';
import { keys } from '../support/ports.ts';
import { useGateway } from '../support/use-gateway.ts';
import { woundTimeouts } from '../support/wound-timeouts.ts';

const extra = `
providers: [{ name: first, type: openai, base_url: "http://127.0.0.1:1", api_key_env: FIRST_KEY, models: [m] }]
budgets: { tenants: { default: { monthly_usd: 100 }, elsewhere: { monthly_usd: 0 } } }
cache: { enabled: true }
`;
const usage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 };
const message = { role: 'assistant', content: 'Hi.' };
const choices = [{ index: 0, message, finish_reason: 'stop' }];
const completion: JsonObject = { id: 'c', object: 'chat.completion', model: 'm', usage, choices };
const chunk = (content: string, finish_reason: string | null = null): JsonObject => ({
  ...{
    id: 'c',
    object: 'chat.completion.chunk',
    model: 'm',
    choices: [{ index: 0, delta: { content }, finish_reason }],
  },
});

let answer: (call: ProviderCall) => Promise<ProviderReply>;
const gateway = useGateway({ extra });
beforeEach(() => {
  answer = async () => ({ type: 'json', body: completion });
});

const called = { call: (call: ProviderCall) => answer(call) };
const provider = { name: 'first', type: 'openai', dialect: 'openai', ...called } as unknown as Provider;
let asked = 0;
const ask = (session: string, over: Loose = {}, more: object = {}, key = keys.agent) =>
  caller({ ...gateway.ports, providers: { get: async () => provider }, ...over })('POST', '/v1/chat/completions', {
    key,
    headers: { 'x-session-id': session },
    body: { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: `question ${++asked}` }], ...more },
  });
const recordsOf = (session: string, tenant = 'default') => chatRecordsOf(gateway.ports, session, tenant);
const open = async () => (await gateway.ports.counters.status('default', { budgets: [] })).open;
const failing = (text: string) => () => Promise.reject(new Error(text));
const streaming =
  (events: (signal: AbortSignal) => AsyncGenerator<JsonObject>) =>
  async ({ signal }: ProviderCall): Promise<ProviderReply> => ({ type: 'stream', events: events(signal) });

test('[limit.none] a failed note of the start does not end the call', async () => {
  const counters = { ...gateway.ports.counters, begin: failing('busy') };
  expect((await ask('begin', { counters })).body).toMatchObject(completion);
  expect(gateway.lines.join('\n')).toContain('the start of a provider call was not noted');
});

test('[limit.shards] a settlement that fails is left to the end of its lease', async () => {
  const before = await open();
  const counters = { ...gateway.ports.counters, settle: failing('busy') };
  expect((await ask('settle', { counters })).body).toMatchObject(completion);
  expect(gateway.lines.join('\n')).toContain('a reservation waits for its lease to end');
  expect(await open()).toBe(before + 1);
});

test('[chat.completions] an unexpected fault is recorded, and no reservation remains', async () => {
  const before = await open();
  const cache = { ...gateway.ports.cache, takeEvictions: () => 0, lookup: failing('a bug') };
  const { status, body } = await ask('bug', { cache });
  expect([status, body.error.type]).toEqual([500, 'server_error']);
  expect(await recordsOf('bug')).toMatchObject([
    { outcome: 'failed', status: 500, error: 'server_error', usage: { input_tokens: 0, output_tokens: 0 } },
  ]);
  expect(await open()).toBe(before);
});

test('[evidence.chat] an answer that cannot be recorded is not given; a stream ends with an error', async () => {
  const ledger = { ...gateway.ports.ledger, commit: failing('no store') };
  const whole = await ask('unrecorded', { ledger });
  expect([whole.status, whole.text.includes('Hi.')]).toEqual([500, false]);
  answer = streaming(async function* () {
    yield chunk('Hi.');
    yield chunk('', 'stop');
  });
  const { text } = await ask('unrecorded', { ledger }, { stream: true });
  expect(text.trimEnd().split('\n\n').at(-1)).toContain('"error"');
});

test('[limit.budget] of the refusals by one budget the first of a minute is recorded', async () => {
  const { status } = await ask('refused', {}, {}, 'elsewhere-key');
  await ask('refused', {}, {}, 'elsewhere-key');
  expect(status).toBe(429);
  expect(await recordsOf('refused', 'elsewhere')).toHaveLength(1);
  gateway.pass(61);
  await ask('refused', {}, {}, 'elsewhere-key');
  expect(await recordsOf('refused', 'elsewhere')).toHaveLength(2);
});

describe('a stream', () => {
  const events = (text: string) => text.trimEnd().split('\n\n');

  test('[chat.streams-cut] of a provider that never stops is cut as one of a provider that is broken', async () => {
    answer = streaming(async function* () {
      for (;;) yield chunk('x'.repeat(64 * 1024));
    });
    expect(events((await ask('endless', {}, { stream: true })).text).at(-1)).toContain('provider_error');
    expect(await recordsOf('endless')).toMatchObject([{ outcome: 'failed', error: 'provider_error' }]);
  });

  test('[limit.shards] [auth.revoked-key] keeps its reservation, and ends once its key is revoked', async () => {
    const extended: string[] = [];
    const timeouts = woundTimeouts();
    const counters = { ...gateway.ports.counters, extend: async (_: string, id: string) => void extended.push(id) };
    let revoked = false;
    const current = async () => {
      const snapshot = await gateway.ports.snapshots.current();
      return revoked ? { ...snapshot, identities: { ...snapshot.identities, byKeyId: new Map() } } : snapshot;
    };
    const pass = async (ms: number) => {
      timeouts.pass(ms);
      await new Promise(setImmediate);
    };
    answer = streaming(async function* (signal) {
      yield chunk('one');
      await pass(20_000);
      await pass(4_000);
      yield chunk('two');
      revoked = true;
      await pass(4_000);
      signal.throwIfAborted();
      yield chunk('three', 'stop');
    });
    const snapshots = { ...gateway.ports.snapshots, current };
    const { text, headers } = await ask('revoked', { timeouts, counters, snapshots }, { stream: true });
    expect(extended).toEqual([headers['x-envelope-id']]);
    expect(events(text).at(-1)).toContain('The key was revoked');
    expect(text).toContain('two');
    expect(text).not.toContain('three');
    expect(await recordsOf('revoked')).toMatchObject([{ outcome: 'refused', error: 'authentication_error' }]);
  });
});
