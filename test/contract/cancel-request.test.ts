/**
 * Calls run by another process are cancelled by their owner: two processes share one store, and the provider and the
 * server never finish.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { systemIds } from '#adapters/system/ids.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { lambdaLimits } from '#core/contracts/host-limits.ts';
import { ExecutionFault } from '#core/execution/executors/fault.ts';
import type { Executor } from '#core/execution/executors/ports.ts';
import { chatHandlers } from '#lambdas/handlers.ts';
import { caller, eventTo } from '../support/call-endpoint.ts';
import { evidenceOf } from '../support/evidence-of.ts';
import { piecesOf, silent, startFakeProvider, stream } from '../support/fake-providers.ts';
import { keys } from '../support/ports.ts';
import { useGateway } from '../support/use-gateway.ts';
import { useStarted } from '../support/use-started.ts';
import { type WoundTimeouts, woundTimeouts } from '../support/wound-timeouts.ts';

/** Timers of the process that runs the calls, advanced manually. */
let timeouts: WoundTimeouts;
let running: { signal?: AbortSignal; begun: PromiseWithResolvers<void> };

const slow: Executor = {
  name: 'slow',
  handles: ({ tool }) => tool === 'scm.list_branches',
  execute: (_envelope, _credential, options = {}) => {
    running.signal = options.signal!;
    running.begun.resolve();
    return new Promise((_, reject) => {
      options.signal!.addEventListener('abort', () => {
        reject(new ExecutionFault('cancelled', 'it was cancelled', { effect: 'unknown' }));
      });
    });
  },
};

const provider = useStarted(() => startFakeProvider({ kind: 'openai' }));
const test_ = useGateway(() => ({
  executors: [slow],
  secrets: { PROVIDER_KEY: 'provider-key-value-1' },
  extra: [
    `providers: [{ name: fake, type: openai, base_url: "${provider.baseUrl}", api_key_env: PROVIDER_KEY, models: ["gpt-*"] }]`,
    'cache: { enabled: false }',
    '',
  ].join('\n'),
}));
beforeAll(async () => {
  const { configuration } = await test_.ports.snapshots.current();
  expect(configuration.providers[0]?.name).toBe('fake');
});
beforeEach(() => {
  timeouts = woundTimeouts();
  running = { begun: Promise.withResolvers<void>() };
});

const process = () => ({ ...test_.ports, timeouts, ids });
/** Ids based on the test's own clock. */
const ids = {
  ...systemIds,
  uuid: () => {
    const born = test_.ports.clock.now().toString(16).padStart(12, '0');
    return `${born.slice(0, 8)}-${born.slice(8)}${systemIds.uuid().slice(13)}`;
  },
};
/** Cancels a call through one process, while a second passes in the other process. */
const cancel = (id: string, key = keys.agent) => {
  const pause = async () => {
    timeouts.pass(1_000);
    await turn();
  };
  return caller({ ...test_.ports, pause })('POST', `/v1/requests/${id}/cancel`, { key, body: {} });
};

const ask = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] };

/** Starts a streamed call, part of which has already been sent. */
async function streaming(session: string, more: object = {}) {
  const pieces = piecesOf('openai', { text: ['one ', 'two '] });
  provider.answers(stream(pieces.slice(0, 2), 'open'));
  const event = eventTo('POST', '/v1/chat/completions', {
    key: keys.agent,
    body: { ...ask, stream: true },
    headers: { 'x-session-id': session },
  });
  const reply = await chatHandlers({ ...process(), ...more })['chat-completions']!(event, { awsRequestId: 'r' });
  const chunks = (reply.body as AsyncIterable<string>)[Symbol.asyncIterator]();
  const first = (await chunks.next()).value as string;
  const rest = async () => {
    let text = first;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) text += next.value;
    await reply.finished;
    return text;
  };
  return { id: reply.headers['x-envelope-id']!, rest: rest() };
}

const bodiesOf = async (session: string) =>
  (await evidenceOf(test_.ports, session)).map(({ kind, body }) => ({ kind, ...body }));

describe('[cancel.any-process] a call running in another process', () => {
  test('a stream ends with an error event; the streamed part is billed, and evidence names the person who cancelled it', async () => {
    const { id, rest } = await streaming('cancelled-stream');
    const answer = await cancel(id);
    expect([answer.status, answer.body]).toEqual([202, { id, status: 'cancelling' }]);
    expect(await rest).toMatch(/request_cancelled[\s\S]*$/);
    expect(await rest).not.toContain('[DONE]');
    const [body, ...others] = await bodiesOf('cancelled-stream');
    expect(others).toEqual([]);
    const { key_id } = (await test_.ports.snapshots.current()).identities.byKeyId
      .values()
      .find(({ name }) => name === 'writer')!;
    expect(body).toMatchObject({
      kind: 'chat',
      outcome: 'aborted',
      status: 499,
      error: 'request_cancelled',
      aborted_by: key_id,
    });
    expect((body as unknown as { usage: { input_tokens: number } }).usage.input_tokens).toBeGreaterThan(0);
    expect((await cancel(id)).status).toBe(202); // a repetition changes nothing
  });

  test('a non-streamed response returns 499, which clients do not retry', async () => {
    provider.answers(silent);
    const made: string[] = [];
    const uuid = () => {
      made.push(ids.uuid());
      return made.at(-1)!;
    };
    const answer = caller({ ...process(), ids: { ...ids, uuid } })('POST', '/v1/chat/completions', {
      key: keys.agent,
      body: ask,
      headers: { 'x-session-id': 'cancelled-whole' },
    });
    await provider.request();
    expect((await cancel(made[0]!)).status).toBe(202);
    expect(await answer).toMatchObject({ status: 499, body: { error: { type: 'request_cancelled' } } });
    expect(await bodiesOf('cancelled-whole')).toMatchObject([{ outcome: 'aborted', aborted_by: expect.any(String) }]);
  });

  test("an action's executor gets the abort signal, and its result names the person who cancelled", async () => {
    const action = { protocol: 'git', tool: 'scm.list_branches', target: 'acme/web', capability: 'read' };
    const answer = caller(process())('POST', '/admin/v1/test-action', {
      key: keys.agent,
      body: action,
      headers: { 'x-session-id': 'cancelled-action' },
    });
    await running.begun.promise;
    const [{ envelope_id }] = await entriesOf('cancelled-action');
    expect((await cancel(envelope_id)).status).toBe(202);
    expect((await answer).body.error.data.outcome).toBe('unknown');
    expect(await bodiesOf('cancelled-action')).toMatchObject([
      { kind: 'allow' },
      { kind: 'result', outcome: 'unknown', aborted_by: expect.any(String) },
    ]);
  });

  test('a call that ends within a second needs no additional store step', async () => {
    provider.answers(() => ({ type: 'say', said: { text: 'Hello' } }));
    const calling = (over: object = {}) =>
      caller({ ...process(), ...over } as never)('POST', '/v1/chat/completions', { key: keys.agent, body: ask });
    await calling(); // opens the hour's session, unless an earlier test did
    const answer = await test_.steps.during(() => calling());
    const plain = await test_.steps.during(() => calling({ cancellations: undefined }));
    expect(answer.value.status).toBe(200);
    expect(answer.calls).toBe(plain.calls);
    expect(timeouts.size).toBe(0);
  });
});

describe("[cancel.any-process] the call's owner", () => {
  test('another key gets a 404, and the call continues', async () => {
    const { id, rest } = await streaming('not-yours');
    expect((await cancel(id, keys.other)).status).toBe(404);
    expect((await cancel(id, 'elsewhere-key')).status).toBe(404);
    expect(await bodiesOf('not-yours')).toEqual([]);
    expect((await cancel(id)).status).toBe(202);
    await rest;
  });

  test('a call that has ended returns 409, an unknown one 404, and an invalid id 400', async () => {
    provider.answers(() => ({ type: 'say', said: { text: 'Hello' } }));
    const done = await caller(process())('POST', '/v1/chat/completions', { key: keys.agent, body: ask });
    const id = done.headers['x-envelope-id']!;
    test_.pass(1);
    const ended = await cancel(id);
    expect([ended.status, ended.body.error.message]).toEqual([409, expect.stringContaining('has ended')]);
    expect((await cancel(id, keys.other)).status).toBe(404);
    expect((await cancel(ids.uuid())).status).toBe(404);
    expect((await cancel('session-1')).status).toBe(400);
  });
});

test('[evidence.chat] if the host does not detect disconnects, evidence does not claim that the response arrived', async () => {
  provider.answers(() => ({ type: 'say', said: { text: 'Hello' } }));
  const said = async (session: string, more: object) => {
    const request = { key: keys.agent, body: ask, headers: { 'x-session-id': session } };
    expect((await caller({ ...process(), ...more })('POST', '/v1/chat/completions', request)).status).toBe(200);
    return (await bodiesOf(session))[0];
  };
  expect(await said('on-aws', { hostLimits: lambdaLimits })).toMatchObject({
    outcome: 'completed',
    delivered: 'unknown',
  });
  expect(await said('local', {})).not.toHaveProperty('delivered');
});

const entriesOf = async (session: string) => (await evidenceOf(test_.ports, session)) as [EvidenceEntry];
