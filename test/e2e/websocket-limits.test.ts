/** Messages that do not fit, callers who do not read, and a gateway that stops. */
import { once } from 'node:events';
import { agentKey, startChatGateway } from '../support/chat-clients.ts';
import { connectSocket } from '../support/socket-client.ts';
import {
  body,
  bulk,
  call,
  fake,
  gateway,
  held,
  maxBody,
  settings,
  standstill,
  withKey,
} from '../support/websocket-gateway.ts';
import { until } from './client.ts';

describe('what does not fit', () => {
  test('[chat.ws] too large a message closes with 1009, by the server’s limit or the tenant’s', async () => {
    const large = await withKey();
    large.say(call('1', 'x'.repeat(maxBody)));
    expect(await large.closed).toBe(1009);
    const small = await withKey('small-key');
    small.say(call('1', 'é'.repeat(600))); // 1,200 bytes in 600 characters
    expect(await small.hear('error')).toMatchObject({ status: 413, error: { type: 'payload_too_large' } });
    expect(await small.closed).toBe(1009);
    expect(fake.requests).toHaveLength(0);
  });

  test('a message that is not understood is an error, and the connection lives on', async () => {
    const caller = await withKey();
    const before = ['{"model":', '[]', '"text"', 'null', '{"a":1,"a":2}', '{"type":"dance","id":"7"}', '{}'];
    for (const text of before) caller.say(text);
    caller.ws.send(Buffer.from('{"type":"ping"}')); // binary
    caller.say({ type: 'chat.completions', id: 8, body: 'no object' });
    caller.say({ type: 'chat.completions', id: '', body: body('x') });
    caller.say({ type: 'ping' });
    await caller.hear('pong');
    const errors = caller.heard.filter(({ type }) => type === 'error');
    expect(errors.map(({ status }) => status)).toEqual(Array(before.length + 3).fill(400));
    expect(errors.map(({ id }) => id)).toEqual([...Array(5).fill(undefined), '7', undefined, undefined, 8, undefined]);
  });

  test('[chat.ws] an id that runs is refused; so are calls beyond 64, and who goes on is closed with 4429', async () => {
    fake.answers(held(new Promise(() => {})));
    const caller = await withKey();
    caller.say(call('c0'));
    caller.say(call('c0'));
    expect(await caller.hear('error', 'c0')).toMatchObject({ status: 409 });
    for (let n = 1; n <= 64; n++) caller.say(call(`c${n}`));
    expect(await caller.hear('error', 'c64')).toMatchObject({ status: 429, retry_after: 1 });
    caller.say({ type: 'ping' });
    await caller.hear('pong');
    for (let n = 65; n <= 128; n++) caller.say(call(`c${n}`));
    expect(await caller.closed).toBe(4429);
    await Promise.all(fake.requests.map(({ closed }) => closed));
  });

  test('pings of both kinds are answered', async () => {
    const caller = await withKey();
    caller.say({ type: 'ping' });
    expect(await caller.hear('pong')).toEqual({ type: 'pong' });
    const pong = once(caller.ws, 'pong');
    caller.ws.ping('are you there');
    expect(String((await pong)[0])).toBe('are you there');
  });
});
describe('a caller who does not read', () => {
  test('is not listened to either: what it says stays with it', async () => {
    const caller = await withKey();
    await caller.hear('ready');
    caller.ws.pause();
    const messages = 40_000;
    for (let n = 0; n < messages; n++) caller.say({ type: 'dance', id: `${n}`, padding: 'x'.repeat(1_000) });
    await standstill(() => caller.ws.bufferedAmount);
    expect(caller.ws.bufferedAmount).toBeGreaterThan(0);
    caller.ws.resume();
    await caller.hear('error', `${messages - 1}`);
    expect(caller.heard).toHaveLength(messages + 1);
  });

  test('[chat.ws] stops the model’s stream; reading again brings all of it', async () => {
    const caller = await withKey();
    caller.say(call('1', 'much', { model: 'bulk' }));
    await caller.hear('event', '1');
    caller.ws.pause();
    const stopped = await bulk.standstill();
    expect(stopped).toBeLessThan(bulk.chunks / 2);
    caller.ws.resume();
    expect(await caller.hear('done', '1')).toMatchObject({ outcome: 'completed' });
    expect(caller.textOf('1')).toHaveLength(bulk.chunks);
  });

  test('[chat.ws] can still cancel: the call is settled although its events are not read', async () => {
    const caller = await withKey(agentKey, { 'x-session-id': 'socket-deaf' });
    caller.say(call('1', 'much', { model: 'bulk' }));
    await caller.hear('event', '1');
    caller.ws.pause();
    await bulk.standstill();
    caller.say({ type: 'cancel', id: '1' });
    expect(await gateway.record('socket-deaf')).toMatchObject({ outcome: 'aborted' });
  });
});
test('[chat.ws] the gateway that stops lets calls end, takes no other, and closes with 1001', async () => {
  const last = await startChatGateway(settings(fake.baseUrl, bulk.url));
  const released = Promise.withResolvers<void>();
  fake.answers(held(released.promise));
  const caller = await connectSocket(`${last.ready.gateway_url.replace('http', 'ws')}/v1/ws`, {
    headers: { 'x-api-key': agentKey },
  });
  caller.say(call('1'));
  await caller.hear('event', '1');
  const exit = last.stop();
  let probe = 0;
  await until('the gateway to refuse a call', async () => {
    const id = `probe-${probe++}`;
    caller.say(call(id, 'x', { model: 'nobody-serves-this' }));
    return (await caller.hear('error', id)).status === 503 ? true : undefined;
  });
  released.resolve();
  expect(await caller.hear('done', '1')).toMatchObject({ outcome: 'completed' });
  expect(caller.textOf('1')).toBe('one two');
  expect(await caller.closed).toBe(1001);
  expect(await exit).toBe(0);
});
