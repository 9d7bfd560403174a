/** A local listener with few connections, and clients that use up everything they can get. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { CallerShares } from '#core/limits/caller-shares.ts';
import type { HttpServer } from '../../bin/local/http-server.ts';
import { answerFrom, head, raw, serverOf } from '../support/raw-http.ts';

/** Identifies callers by their key; without a key they are unknown, and none of their body is read. */
const beforeBody = async ({ headers }: { readonly headers: Readonly<Record<string, string | undefined>> }) => {
  const key = headers['x-api-key'];
  if (key === undefined) return { bodyBytes: 0 };
  const [, tenant = key] = key.split('@');
  return { bodyBytes: 100_000, caller: { key_id: key, tenant, kind: key.startsWith('human') ? 'human' : 'agent' } };
};

const opened: Socket[] = [];
const open = async (server: HttpServer, bytes = ''): Promise<Socket> => {
  const socket = connect(server.port, '127.0.0.1').on('error', () => {});
  opened.push(socket);
  socket.resume();
  await once(socket, 'connect');
  if (bytes) socket.write(bytes);
  return socket;
};
const unfinished = (key?: string) =>
  head('POST /things', 'Host: localhost', 'Content-Length: 10', ...(key ? [`X-API-Key: ${key}`] : []));
const asked = (server: HttpServer, ...fields: string[]) =>
  raw(head('GET /things', 'Host: localhost', ...fields), server.port);

const withListener = async (options: object, work: (server: HttpServer) => Promise<void>) => {
  const server = await serverOf({ beforeBody, maxBodyBytes: async () => 100_000, maxConnections: 16, ...options });
  try {
    await work(server);
  } finally {
    for (const socket of opened.splice(0)) socket.destroy();
    await server.drain(0);
  }
};

test.each([
  ['idle', ''],
  ['slow heads', 'GET /things HTTP/1.1\r\nHost: lo'],
  ['bodies without a key', unfinished()],
])('[http.connections] connections without a key do not lock out a person or a health probe: %s', (_, bytes) =>
  withListener({}, async (server) => {
    for (let flood = 0; flood < 40; flood++) await open(server, bytes);
    expect((await asked(server, 'X-API-Key: human')).status).toBe(200);
    expect((await asked(server)).status).toBe(200);
  }),
);

test('[http.connections] unfinished bodies sent with one key do not block other keys or probes; that key itself gets a 429', () =>
  withListener({}, async (server) => {
    for (let flood = 0; flood < 20; flood++) await open(server, unfinished('greedy'));
    const own = await asked(server, 'X-API-Key: greedy');
    expect([own.status, own.body.error.type, own.headers['retry-after']]).toEqual([429, 'rate_limit_error', '1']);
    expect(own.body.error.message).toMatch(
      /^\d requests of this key are open, and the remaining capacity is reserved for other keys/,
    );
    for (const field of ['X-API-Key: other', 'X-API-Key: human', 'X: y'])
      expect((await asked(server, field)).status).toBe(200);
  }));

test('[http.connections] a tenant with many keys leaves capacity for others and gets a 429 itself', () =>
  withListener({}, async (server) => {
    for (let key = 0; key < 12; key++) await open(server, unfinished(`${key}@greedy`));
    const own = await asked(server, 'X-API-Key: new@greedy');
    expect([own.status, own.body.error.message]).toEqual([
      429,
      expect.stringMatching(
        /^6 requests of this tenant are open, and the remaining capacity is reserved for other tenants/,
      ),
    ]);
    expect((await asked(server, 'X-API-Key: one@other')).status).toBe(200);
  }));

test('[http.connections] a key gets its share back when its requests have ended', () =>
  withListener({}, async (server) => {
    const bodies: Socket[] = [];
    for (let at = 0; at < 4; at++) bodies.push(await open(server, unfinished('one')));
    expect((await asked(server, 'X-API-Key: one')).status).toBe(429);
    const answers = bodies.map((socket) => once(socket, 'data'));
    for (const socket of bodies) socket.write('0123456789');
    await Promise.all(answers);
    expect((await asked(server, 'X-API-Key: one')).status).toBe(200);
  }));

test('[http.connections] the memory used by request bodies is limited per key', () =>
  withListener({ bodies: new CallerShares(8_000) }, async (server) => {
    const post = (key: string, bytes: number) =>
      raw(
        [head('POST /things', 'Host: localhost', `X-API-Key: ${key}`, `Content-Length: ${bytes}`), 'x'.repeat(bytes)],
        server.port,
      );
    const refused = await post('one', 8_001);
    expect([refused.status, refused.body.error.message]).toEqual([429, expect.stringContaining('take up')]);
    expect((await post('one', 6_000)).status).toBe(200);
    expect((await post('one', 6_000)).status).toBe(200); // the earlier requests have ended
  }));

test('[http.connections] keep-alive connections from one client stay open, and a stream does not count as idle', () =>
  withListener({}, async (server) => {
    const stream = await open(server, head('GET /stream', 'Host: localhost', 'X-API-Key: reader'));
    stream.pause();
    const kept: Socket[] = [];
    for (let at = 0; at < 11; at++) {
      const socket = await open(server, head('GET /things', 'Host: localhost', 'X-API-Key: client'));
      await once(socket, 'data');
      kept.push(socket);
    }
    for (let flood = 0; flood < 40; flood++) await open(server);
    for (const socket of kept) {
      socket.write(head('GET /things', 'Host: localhost', 'X-API-Key: client'));
      await once(socket, 'data');
    }
    expect(stream.destroyed).toBe(false);
  }));

test('[http.connections] a request whose body barely trickles in is ended; a body that arrives steadily is read', async () => {
  // The listener checks them when the test triggers its timer.
  const looks: (() => void)[] = [];
  const interval = jest.spyOn(globalThis, 'setInterval').mockImplementation(((look: () => void, ms: number) => {
    if (ms === 10_000) looks.push(look);
    return { unref: () => undefined };
  }) as never);
  try {
    await withListener({}, async (server) => {
      interval.mockRestore();
      const length = 60_000;
      const begin = (bytes: string) =>
        open(server, head('POST /things', 'Host: localhost', 'X-API-Key: one', `Content-Length: ${length}`) + bytes);
      const stalled = await begin('x');
      const answered = answerFrom(stalled);
      const steady = await begin('');
      const arrived = once(steady, 'data');
      for (let minute = 0; minute < 6; minute++) {
        await new Promise<void>((resolve) => void steady.write('x'.repeat(10_000), () => resolve()));
        await asked(server); // the listener has had a turn of the event loop
        for (let look = 0; look < 2; look++) looks[0]!();
      }
      const { status, body } = await answered;
      expect([status, body.error.message]).toEqual([400, expect.stringContaining('fewer than 16384 bytes')]);
      expect(String((await arrived)[0])).toMatch(/^HTTP\/1.1 200 /);
    });
  } finally {
    interval.mockRestore();
  }
});
