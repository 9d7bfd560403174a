/** The chat WebSocket on AWS. */

import { createHandler as createSocket } from '#lambdas/ws/event.ts';
import { createHandler as createWorker } from '#lambdas/ws-worker/event.ts';
import { piecesOf, say, stream } from '../support/fake-providers.ts';
import { keys } from '../support/ports.ts';
import { textOf } from '../support/socket-client.ts';
import {
  aws,
  call,
  event,
  fake,
  gateway,
  never,
  opened,
  ports,
  recordsOf,
  said,
  second,
  timeouts,
  worker,
  ws,
} from './ws-functions.ts';

/** The chat WebSocket on AWS: both functions over the embedded store, with HTTP servers for `@connections` and Lambda's invoke endpoint. */
describe('both functions', () => {
  const maxPostBytes = 32_000;

  const batchMs = 50;

  describe('connecting', () => {
    test('[chat.ws] a key in the handshake authenticates the connection, and only its id is stored', async () => {
      for (const headers of [{ 'x-api-key': keys.agent }, { Authorization: `Bearer ${keys.agent}` }] as const) {
        const id = await opened(headers as Record<string, string>);
        const row = await ports.connections.get(id);
        expect(row).toMatchObject({
          id,
          tenant: 'default',
          key_id: expect.stringMatching(/^[0-9a-f]{16}$/),
          calls: {},
        });
        expect(JSON.stringify(row)).not.toContain(keys.agent);
      }
    });

    test('[chat.ws] a bad handshake is refused: an unknown key, a role without access, two keys, or a page from an unlisted origin', async () => {
      const refused = async (multiValueHeaders: Record<string, string[]>) =>
        (await ws(event('$connect', 'refused', { multiValueHeaders }))).statusCode;
      expect(await refused({ 'X-API-Key': ['no-such-key'] })).toBe(401);
      expect(await refused({ 'X-API-Key': [keys.agent, keys.human] })).toBe(401);
      expect(await refused({ 'X-API-Key': [keys.viewer] })).toBe(403);
      expect(await refused({ 'X-API-Key': [keys.agent], Origin: ['https://evil.example'] })).toBe(403);
      expect(await ports.connections.get('refused')).toBeUndefined();
      await opened({ 'X-API-Key': keys.agent, Origin: 'https://app.example' });
    });

    test('[chat.ws] a key in the query string is not accepted', async () => {
      const query = {
        queryStringParameters: { 'x-api-key': keys.agent, api_key: keys.agent, authorization: keys.agent },
      };
      await ws(event('$connect', 'by-query', { headers: {}, ...query }));
      await said('by-query', call('1'), query);
      expect(aws.heard('by-query')).toMatchObject([{ type: 'error', status: 401 }]);
      expect(aws.closed).toContain('by-query');
    });

    test('[chat.ws] without a key in the handshake, the first message must contain it; the reply is ready, or an error after which the connection closes', async () => {
      const id = await opened({});
      await said(id, { type: 'auth', api_key: keys.agent });
      expect(aws.heard(id)).toEqual([{ type: 'ready', max_message_bytes: 131072 }]);
      for (const [key, status] of [
        ['no-such-key', 401],
        [keys.viewer, 403],
      ] as const) {
        const other = await opened({});
        await said(other, { type: 'auth', api_key: key });
        expect(aws.heard(other)).toMatchObject([{ type: 'error', status }]);
        expect(aws.closed).toContain(other);
      }
    });

    test('[chat.ws] a connection that has no key after ten seconds or exceeds its maximum age is closed', async () => {
      const slow = await opened({});
      gateway.pass(11);
      await said(slow, { type: 'auth', api_key: keys.agent });
      const old = await opened();
      gateway.pass(2 * 3600 + 11 * 60);
      expect(await ports.connections.get(old)).toBeUndefined();
      await said(old, call('1'));
      for (const id of [slow, old]) {
        expect(aws.heard(id)).toMatchObject([{ type: 'error', status: 401 }]);
        expect(aws.closed).toContain(id);
      }
    });
  });
  describe('calls', () => {
    test('[chat.ws] are handed over without the key, and their responses are sent event by event, in order', async () => {
      const id = await opened({ 'X-API-Key': keys.agent, 'X-Session-ID': 'aws-story' });
      fake.answers(say(['one', ' two', ' three']));
      await said(id, call('r.1'));
      const { functionName, type, call: work } = aws.invoked.at(-1)!;
      expect([functionName, type]).toEqual(['the-worker', 'Event']);
      expect(JSON.stringify(work)).not.toContain(keys.agent);
      expect(Object.keys((await ports.connections.get(id))!.calls)).toEqual(['r.1']);
      await worker();
      const heard = aws.heard(id);
      expect(textOf(heard, 'r.1')).toBe('one two three');
      expect(heard[0]).toMatchObject({ type: 'event', headers: { 'x-request-id': `request-${id}` } });
      expect(heard.at(-1)).toEqual({ type: 'done', id: 'r.1', outcome: 'completed' });
      expect(aws.maxConcurrentPosts()).toBe(1);
      expect(await recordsOf('aws-story')).toMatchObject([{ transport: 'ws', outcome: 'completed' }]);
      expect((await ports.connections.get(id))!.calls).toEqual({});
      expect(timeouts.size).toBe(0);
    });

    test('[chat.ws] a stream of a hundred events takes two posts: the first event, then all events gathered within 50 ms together with the end', async () => {
      const id = await opened();
      const words = Array.from({ length: 100 }, (_, n) => ` w${n}`);
      const pieces = piecesOf('openai', { text: words });
      const more = Promise.withResolvers<void>();
      fake.answers(stream([...pieces.slice(0, 51), more.promise, ...pieces.slice(51)]));
      await said(id, call('many'));
      const done = worker();
      await aws.hear(id, 'event', 'many');
      expect(aws.posted(id)).toHaveLength(1);
      await timeouts.armed(batchMs);
      more.resolve();
      await done;
      expect(textOf(aws.heard(id), 'many')).toBe(words.join(''));
      expect(aws.heard(id).at(-1)).toEqual({ type: 'done', id: 'many', outcome: 'completed' });
      expect(aws.posted(id).map((post) => JSON.parse(post).type)).toEqual(['event', 'batch']);
      expect(aws.maxConcurrentPosts()).toBe(1);
      expect(timeouts.size).toBe(0);
    });

    test('[chat.ws] long events are split between characters into parts below 32 KB that can be joined to the same text', async () => {
      const id = await opened();
      const text = '"日本\\🙂é\n'.repeat(9_000);
      fake.answers(say(text));
      await said(id, call('long', 'much', { stream: false }));
      await worker();
      const posted = aws.posted(id);
      expect(posted.length).toBeGreaterThan(3);
      for (const post of posted) expect(Buffer.byteLength(post)).toBeLessThanOrEqual(maxPostBytes);
      expect(posted.map((post) => JSON.parse(post).n)).toEqual(posted.map((_, n) => n));
      expect(aws.heard(id)).toMatchObject([{ type: 'response', id: 'long' }]);
      expect(aws.heard(id)[0]!.body.choices[0].message.content).toBe(text);
    });

    test('[chat.ws] an invocation that is delivered twice gets only one response', async () => {
      const id = await opened();
      await said(id, call('twice'));
      const work = aws.invoked.at(-1)!.call;
      await Promise.all([worker(work), worker(work)]);
      await worker(work);
      expect(fake.requests).toHaveLength(1);
      expect(aws.heard(id).filter(({ type }) => type === 'done')).toHaveLength(1);
    });

    test('[chat.ws] a call with an id already in use is refused, and so is the 65th call; neither is handed over', async () => {
      const id = await opened();
      await said(id, call('0'));
      const before = aws.invoked.length;
      await said(id, call('0'));
      expect(aws.heard(id)).toMatchObject([{ type: 'error', id: '0', status: 409 }]);
      for (let n = 1; n < 64; n++) expect(await ports.connections.begin(id, `${n}`, 'r', 64)).toBe('begun');
      await said(id, call('64'));
      expect(aws.heard(id)[1]).toMatchObject({ type: 'error', id: '64', status: 429, retry_after: 1 });
      expect(aws.invoked).toHaveLength(before);
    });

    test('if no function accepts the work, the client gets an error and can use the id again', async () => {
      const id = await opened();
      aws.refusesWork(true);
      await said(id, call('1'));
      aws.refusesWork(false);
      expect(aws.heard(id)).toMatchObject([{ type: 'error', id: '1', status: 503 }]);
      expect((await ports.connections.get(id))!.calls).toEqual({});
    });
  });
  describe('work that was handed over but lost', () => {
    const by = (id: string, requestId: string, message: object) =>
      said(id, message, { requestContext: { ...event('$default', id).requestContext, requestId } });

    test('[chat.ws] a call keeps its id as long as it may still arrive; after that, the id can be used again', async () => {
      const id = await opened();
      await by(id, 'first', call('1'));
      gateway.pass(60);
      await by(id, 'second', call('1'));
      expect(aws.heard(id).at(-1)).toMatchObject({ type: 'error', id: '1', status: 409 });
      gateway.pass(60);
      await by(id, 'third', call('1', 'again'));
      await worker();
      expect(aws.heard(id).at(-1)).toEqual({ type: 'done', id: '1', outcome: 'completed' });
    });

    test('[chat.ws] a late call does not replace the call that now uses its id', async () => {
      const id = await opened();
      await by(id, 'first', call('1', 'old'));
      const old = aws.invoked.at(-1)!.call;
      gateway.pass(120);
      await by(id, 'second', call('1', 'new'));
      const before = aws.heard(id).length;
      await worker(old);
      expect([fake.requests.length, aws.heard(id).length]).toEqual([0, before]);
      await worker();
      expect(fake.requests).toHaveLength(1);
      expect(JSON.stringify(fake.requests[0]!.body)).toContain('new');
    });

    test('[chat.ws] makes room for other calls on a full connection, while calls already claimed still count', async () => {
      const id = await opened();
      for (let n = 0; n < 64; n++) await ports.connections.begin(id, `${n}`, `r-${n}`, 64);
      expect(await ports.connections.claim(id, '0', 'r-0')).toBe('claimed');
      expect(await ports.connections.begin(id, 'more', 'r', 64)).toBe('full');
      gateway.pass(120);
      expect(await ports.connections.begin(id, '0', 'r', 64)).toBe('running');
      expect(await ports.connections.begin(id, 'more', 'r', 64)).toBe('begun');
      expect(Object.keys((await ports.connections.get(id))!.calls).sort()).toEqual(['0', 'more']);
    });
  });
});

/** Cancelled WebSocket calls and disconnected callers on AWS. */
describe('cancelled and disconnected', () => {
  const batchMs = 50;

  /** Streams one piece of text and then nothing. */
  const unending = () => stream(piecesOf('openai', { text: ['one', ' two'] }).slice(0, 2), 'open');
  describe('cancelling and leaving', () => {
    const running = async (id: string) => {
      fake.answers(unending());
      await said(id, call('1'));
      const done = worker();
      await aws.hear(id, 'event', '1');
      return { done };
    };

    test('[chat.ws] the worker sees a cancel at its next check, ends the model call and records it', async () => {
      const id = await opened({ 'X-API-Key': keys.agent, 'X-Session-ID': 'aws-cancel' });
      const { done } = await running(id);
      await said(id, { type: 'cancel', id: '1' });
      second();
      await (await fake.request()).closed;
      await done;
      expect(aws.heard(id).at(-1)).toEqual({ type: 'done', id: '1', outcome: 'aborted' });
      expect(await recordsOf('aws-cancel')).toMatchObject([{ outcome: 'aborted', status: 499, transport: 'ws' }]);
      expect((await ports.connections.get(id))!.calls).toEqual({});
    });

    test('[chat.ws] a call cancelled before the worker begins never reaches a model', async () => {
      const id = await opened();
      await said(id, call('1'));
      await said(id, { type: 'cancel', id: '1' });
      await said(id, { type: 'cancel', id: 'no-such-call' });
      await worker();
      expect(aws.heard(id)).toEqual([{ type: 'done', id: '1', outcome: 'aborted' }]);
      expect(fake.requests).toHaveLength(0);
    });

    test("[chat.ws] $disconnect cancels the connection's calls", async () => {
      const id = await opened({ 'X-API-Key': keys.agent, 'X-Session-ID': 'aws-disconnect' });
      const { done } = await running(id);
      await ws(event('$disconnect', id));
      aws.goes(id);
      second();
      await (await fake.request()).closed;
      await done;
      expect(await recordsOf('aws-disconnect')).toMatchObject([{ outcome: 'aborted' }]);
      await said(id, call('2'));
      expect(aws.invoked.at(-1)!.call.call_id).toBe('1');
    });

    test.each([
      ['410 Gone', 'aws-gone', (id: string) => aws.goes(id)],
      ['a post that fails', 'aws-unreachable', () => aws.failsWith(403)],
    ])('[chat.ws] %s ends the call immediately', async (_what, session, happens) => {
      const id = await opened({ 'X-API-Key': keys.agent, 'X-Session-ID': session });
      const more = Promise.withResolvers<void>();
      const [opening, first, next] = piecesOf('openai', { text: ['one', ' two'] });
      fake.answers(stream([opening!, first!, more.promise, next!], 'open'));
      await said(id, call('1'));
      const done = worker();
      await aws.hear(id, 'event', '1');
      happens(id);
      timeouts.pass(batchMs); // no event is waiting, so the next one is posted immediately
      more.resolve();
      await (await fake.request()).closed;
      await done;
      aws.failsWith(undefined);
      expect(await recordsOf(session)).toMatchObject([{ outcome: 'aborted' }]);
    });

    test("[chat.ws] when the function's time limit is near, the call is settled before the function ends", async () => {
      const id = await opened({ 'X-API-Key': keys.agent, 'X-Session-ID': 'aws-time' });
      fake.answers(unending());
      await said(id, call('1'));
      const time = new AbortController();
      const done = worker(undefined, time.signal);
      await aws.hear(id, 'event', '1');
      time.abort();
      await done;
      expect(aws.heard(id).at(-1)).toEqual({ type: 'done', id: '1', outcome: 'aborted' });
      expect(await recordsOf('aws-time')).toMatchObject([{ outcome: 'aborted' }]);
    });
  });
  describe('the reported text', () => {
    test('[chat.ws] the largest message fits in an invocation; a larger one gets an error and the connection is closed', async () => {
      const id = await opened();
      const frame = JSON.stringify(call('1', ''));
      const largest = call('1', '"'.repeat((131_072 - frame.length) / 2)); // every character is escaped, the worst case in JSON
      expect(JSON.stringify(largest).length).toBeGreaterThan(131_070);
      await said(id, largest);
      const { call: work } = aws.invoked.at(-1)!;
      expect(JSON.stringify(work).length).toBeLessThan(256_000);
      await worker(work);
      expect(aws.heard(id).at(-1)).toMatchObject({ type: 'done', outcome: 'completed' });
      await said(id, call('2', 'x'.repeat(131_072)));
      expect(aws.heard(id).at(-1)).toMatchObject({ type: 'error', status: 413 });
      expect(aws.closed).toContain(id);
    });

    test('[chat.ws] a revoked key is refused both at the next message and in the worker', async () => {
      const id = await opened();
      await said(id, call('1'));
      const work = aws.invoked.at(-1)!.call;
      const revoked = async () => {
        const snapshot = await gateway.ports.snapshots.current();
        const byKeyId = new Map(snapshot.identities.byKeyId);
        byKeyId.delete(work.key_id);
        return { ...snapshot, identities: { ...snapshot.identities, byKeyId } };
      };
      const without = { ...ports, snapshots: { ...ports.snapshots, current: revoked } };
      await createWorker(without)(work, { signal: never });
      expect(aws.heard(id)).toMatchObject([{ type: 'error', id: '1', status: 401 }]);
      await createSocket({ ...without, handOver: async () => {} })(
        event('$default', id, { body: JSON.stringify(call('2')) }),
      );
      expect(aws.heard(id)[1]).toMatchObject({ type: 'error', status: 401 });
      expect(aws.closed).toContain(id);
      expect(fake.requests).toHaveLength(0);
    });
  });
});
