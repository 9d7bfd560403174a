/** Cancelled WebSocket calls and disconnected callers on AWS. */
import { createHandler as createSocket } from '#lambdas/ws/event.ts';
import { createHandler as createWorker } from '#lambdas/ws-worker/event.ts';
import { piecesOf, stream } from '../support/fake-providers.ts';
import { keys } from '../support/ports.ts';
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

const batchMs = 50;

/** Says a first word and then nothing more. */
const unending = () => stream(piecesOf('openai', { text: ['one', ' two'] }).slice(0, 2), 'open');
describe('cancelling and leaving', () => {
  const running = async (id: string) => {
    fake.answers(unending());
    await said(id, call('1'));
    const done = worker();
    await aws.hear(id, 'event', '1');
    return { done };
  };

  test('[chat.ws] cancel: the worker sees it at its next look, closes the model’s call and records it', async () => {
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

  test('[chat.ws] a call that is cancelled before the worker begins never reaches a model', async () => {
    const id = await opened();
    await said(id, call('1'));
    await said(id, { type: 'cancel', id: '1' });
    await said(id, { type: 'cancel', id: 'no-such-call' });
    await worker();
    expect(aws.heard(id)).toEqual([{ type: 'done', id: '1', outcome: 'aborted' }]);
    expect(fake.requests).toHaveLength(0);
  });

  test('[chat.ws] $disconnect ends the calls of the connection', async () => {
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
  ])('[chat.ws] %s ends the call at once', async (_what, session, happens) => {
    const id = await opened({ 'X-API-Key': keys.agent, 'X-Session-ID': session });
    const more = Promise.withResolvers<void>();
    const [opening, first, next] = piecesOf('openai', { text: ['one', ' two'] });
    fake.answers(stream([opening!, first!, more.promise, next!], 'open'));
    await said(id, call('1'));
    const done = worker();
    await aws.hear(id, 'event', '1');
    happens(id);
    timeouts.pass(batchMs); // nothing waits: the next event is posted at once
    more.resolve();
    await (await fake.request()).closed;
    await done;
    aws.failsWith(undefined);
    expect(await recordsOf(session)).toMatchObject([{ outcome: 'aborted' }]);
  });

  test('[chat.ws] the function’s own time is over: the call is settled before it ends', async () => {
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
  test('[chat.ws] the largest message fits an invocation; a larger one is answered with an error and the connection closed', async () => {
    const id = await opened();
    const frame = JSON.stringify(call('1', ''));
    const largest = call('1', '"'.repeat((131_072 - frame.length) / 2)); // each one escaped: the worst that JSON has
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

  test('[chat.ws] a revoked key stops, at the next message and at the worker', async () => {
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
