/** Timeouts of the local WebSocket over a real listener, with a controlled clock. */
import { once } from 'node:events';
import { systemIds } from '#adapters/system/ids.ts';
import { type HttpServer, listen } from '../../bin/local/http-server.ts';
import { webSockets } from '../../bin/local/web-socket.ts';
import { piecesOf, startFakeProvider, stream } from '../support/fake-providers.ts';
import { keys } from '../support/ports.ts';
import { head, raw } from '../support/raw-http.ts';
import { connectSocket } from '../support/socket-client.ts';
import { useGateway } from '../support/use-gateway.ts';
import { useStarted } from '../support/use-started.ts';
import { woundTimeouts } from '../support/wound-timeouts.ts';

const timeouts = woundTimeouts();
const servers: HttpServer[] = [];

const fake = useStarted(() => startFakeProvider({ kind: 'openai' }));
const gateway = useGateway(() => ({
  secrets: { PROVIDER_KEY: 'provider-key' },
  extra: `
cache: { enabled: false }
providers:
  - { name: fake, type: openai, base_url: "${fake.baseUrl}", api_key_env: PROVIDER_KEY, models: ["gpt-*"] }
`,
}));
afterAll(async () => {
  await Promise.all(servers.map((server) => server.drain(0)));
});

async function started(options: object = {}) {
  const sockets = webSockets(Promise.resolve({ ...gateway.ports, timeouts }), options);
  const server = await listen({
    routes: [],
    handlers: Promise.resolve({}),
    ids: systemIds,
    telemetry: gateway.ports.telemetry,
    maxBodyBytes: async () => 1_000,
    host: '127.0.0.1',
    port: 0,
    upgrade: sockets.upgrade,
  });
  servers.push(server);
  return { url: `ws://127.0.0.1:${server.port}/v1/ws`, sockets };
}
const headers = { 'x-api-key': keys.agent };

test('[chat.ws] a connection without a key is closed with 4401 after ten seconds; a connection with a key is not', async () => {
  const { url } = await started();
  const nobody = await connectSocket(url);
  const somebody = await connectSocket(url, { headers });
  await somebody.hear('ready');
  timeouts.pass(10_000);
  expect(await nobody.hear('error')).toMatchObject({ status: 401 });
  expect(await nobody.closed).toBe(4401);
  somebody.say({ type: 'ping' });
  await somebody.hear('pong');
  somebody.ws.close();
  await somebody.closed;
});

test.each([
  ['another version', 'Sec-WebSocket-Version: 7', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='],
  ['no key', 'Sec-WebSocket-Version: 13'],
])('[error.shape] a handshake with %s is refused with an error in the standard format', async (_, ...fields) => {
  const { url } = await started();
  const upgrade = ['Host: localhost', 'Connection: Upgrade', 'Upgrade: websocket', `X-API-Key: ${keys.agent}`];
  const answer = await raw(head('GET /v1/ws', ...upgrade, ...fields), Number(new URL(url).port));
  expect([answer.status, answer.body.error.type]).toEqual([400, 'invalid_request']);
  expect(answer.body.error.message).toMatch(/^Missing or invalid Sec-WebSocket-.*Send Sec-WebSocket-Version: 13/);
});

test('[chat.ws] a peer that does not respond to a ping is disconnected; others stay connected', async () => {
  const { url } = await started();
  for (const autoPong of [true, false]) {
    const caller = await connectSocket(url, { headers, autoPong });
    await caller.hear('ready');
    for (let beat = 0; beat < 3 && autoPong; beat++) {
      const pinged = once(caller.ws, 'ping');
      timeouts.pass(30_000);
      await pinged;
      caller.say({ type: 'after the pong', id: `${beat}` });
      await caller.hear('error', `${beat}`);
    }
    if (autoPong) expect(caller.ws.readyState).toBe(caller.ws.OPEN);
    else {
      const pinged = once(caller.ws, 'ping');
      timeouts.pass(30_000);
      await pinged;
      timeouts.pass(30_000);
      expect(await caller.closed).toBe(1006);
    }
    caller.ws.terminate();
    await caller.closed;
  }
});

test('[chat.ws] a peer that disconnects without reading its responses leaves no resources behind', async () => {
  const { url, sockets } = await started();
  const deaf = await connectSocket(url, { headers });
  const other = await connectSocket(url, { headers });
  deaf.ws.pause();
  for (let n = 0; n < 40_000; n++) deaf.say({ type: 'dance', id: `${n}`, padding: 'x'.repeat(1_000) });
  let before = -1;
  for (let exchange = 0; before !== deaf.ws.bufferedAmount; exchange++) {
    before = deaf.ws.bufferedAmount;
    other.say({ type: 'dance', id: `${exchange}` });
    await other.hear('error', `${exchange}`);
  }
  deaf.ws.terminate();
  const stopped = sockets.close();
  expect(await other.closed).toBe(1001);
  await stopped; // although responses were waiting to be read
});

test('[chat.ws] shutdown waits eight seconds for running calls, then aborts and settles them', async () => {
  const { url, sockets } = await started();
  fake.answers(stream(piecesOf('openai', { text: ['one', ' two'] }).slice(0, 2), 'open'));
  const caller = await connectSocket(url, { headers: { ...headers, 'x-session-id': 'stopping' } });
  const idle = await connectSocket(url, { headers });
  caller.say({
    type: 'chat.completions',
    id: '1',
    body: { model: 'gpt-test', stream: true, messages: [{ role: 'user', content: 'hi' }] },
  });
  await caller.hear('event', '1');
  const stopped = sockets.close();
  expect(await idle.closed).toBe(1001);
  await timeouts.armed(8_000);
  caller.say({ type: 'ping' });
  await caller.hear('pong');
  timeouts.pass(8_000);
  await stopped;
  expect(await caller.closed).toBe(1001);
  await (await fake.request()).closed;
  const outcomes = [];
  for await (const { body } of gateway.ports.evidence.entries('default', 'stopping')) outcomes.push(body.outcome);
  expect(outcomes).toEqual(['aborted']);
});

test('[auth.before-body] until the key is known, a message over 4 kB closes the connection with 1009; afterwards it is read', async () => {
  const { url } = await started();
  const large = { type: 'dance', id: 'large', padding: 'x'.repeat(5_000) };
  const nobody = await connectSocket(url);
  nobody.say(large);
  expect(await nobody.closed).toBe(1009);

  const later = await connectSocket(url);
  later.say({ type: 'auth', api_key: keys.agent });
  await later.hear('ready');
  later.say(large);
  await later.hear('error', 'large');

  const known = await connectSocket(url, { headers });
  known.say(large); // immediately, before the key was checked
  await known.hear('error', 'large');
});

test('[auth.before-body] a connection without a key is closed with 4429 on its ninth message', async () => {
  const { url } = await started();
  const nobody = await connectSocket(url);
  for (let n = 0; n < 9; n++) nobody.say({ type: 'dance', id: `${n}` });
  await nobody.hear('error', '7');
  expect(await nobody.closed).toBe(4429);
});

test('[auth.before-body] [http.connections] at most a tenth of the connections may lack a key: the oldest of those is closed, and a connection with a key stays open', async () => {
  const { url } = await started({ connections: 20 });
  const known = await connectSocket(url, { headers });
  await known.hear('ready');
  const [first, second] = [await connectSocket(url), await connectSocket(url)];
  await connectSocket(url);
  await first.closed;
  second.say({ type: 'auth', api_key: keys.agent });
  await second.hear('ready');
  known.say({ type: 'ping' });
  await known.hear('pong');
});

test('[http.connections] a key may use all connections that are still free, and others can still connect', async () => {
  const { url } = await started({ connections: 10 });
  const own = [];
  for (let at = 0; at < 5; at++) {
    own.push(await connectSocket(url, { headers }));
    await own[at]!.hear('ready');
  }
  const refused = await connectSocket(url, { headers });
  expect((await refused.hear('error')).error.message).toMatch(/^5 connections of this key are open/);
  expect(await refused.closed).toBe(4429);
  await (await connectSocket(url, { headers: { 'x-api-key': keys.other } })).hear('ready');
  for (const { ws, closed } of own.slice(3)) {
    ws.close();
    await closed;
  }
  await (await connectSocket(url, { headers })).hear('ready');
});
