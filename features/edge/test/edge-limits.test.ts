/** Limits of the local edge. */
import { once } from 'node:events';
import { request as httpRequest, type RequestListener } from 'node:http';
import { connect as connectH2 } from 'node:http2';
import { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { GatewayError } from '#core/kernel/errors.ts';
import { echo, errorOf, protocols } from './edge-clients.ts';
import { type Answer, criticalKey, plainKey, type TestEdge, testEdge } from './test-edge.ts';

/** Sends bytes as an HTTP/1.1 client over TLS. Returns everything received until the connection closes. */
async function raw(edge: TestEdge, bytes: string): Promise<string> {
  const options = { host: 'localhost', port: edge.tlsPort, ca: edge.certificate.cert, ALPNProtocols: ['http/1.1'] };
  const socket = connectTls(options);
  socket.on('error', () => {});
  socket.write(bytes);
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}
const quiet = () => {};
const urlOf = (edge: TestEdge, protocol: string) =>
  protocol === 'h2' || protocol === 'tls'
    ? `https://localhost:${edge.tlsPort}`
    : `http://localhost:${edge.cleartextPort}`;
const h2Session = (edge: TestEdge, protocol: string, options: object = {}) =>
  connectH2(urlOf(edge, protocol), { ca: edge.certificate.cert, ...options }).on('error', quiet);
/** Builds an HTTP/2 frame. */
function frame(type: number, flags: number, stream = 0, payload: readonly number[] = []): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUIntBE(type * 256 + flags, 3, 2);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, Buffer.from(payload)]);
}
/** Opens an HTTP/2 connection whose first headers never end. Resolves when the connection is closed. */
function endlessHead(edge: TestEdge): { readonly socket: Socket; readonly closed: Promise<unknown> } {
  const socket = new Socket().connect(edge.cleartextPort, 'localhost').on('error', quiet);
  const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  socket.resume().write(Buffer.concat([preface, frame(4, 0), frame(1, 1, 1, [0x82, 0x86, 0x84])]));
  return { socket, closed: new Promise((resolve) => socket.once('close', resolve)) };
}
/** Keeps the response to `/v1/held` open after its first bytes. */
const holding: RequestListener = (request, response) => {
  if (request.url === '/v1/held') response.write('begun');
  else echo(request, response);
};
const endedFor = (reason: string, times: number | string) =>
  new RegExp(`svc_edge_connections_ended_total\\{[^}]*reason="${reason}"[^}]*\\} ${times}`);

describe('limits', () => {
  const withEdge = async (
    settings: object,
    work: (edge: TestEdge) => Promise<void>,
    {
      upstream = echo,
      unknown,
      unreadMs,
      idleMs,
    }: Partial<Record<'unreadMs' | 'idleMs', number>> & {
      readonly upstream?: RequestListener;
      readonly unknown?: Error;
    } = {},
  ) => {
    const edge = await testEdge(upstream, settings, unknown, unreadMs, idleMs);
    try {
      await work(edge);
    } finally {
      await edge.stop();
    }
  };

  test('[edge.load-shedding] at full load, normal and low requests are shed with 503, and critical requests pass for keys allowed that priority', () =>
    withEdge({ max_connections: 1 }, async (edge) => {
      const ask = (headers: Record<string, string>) => edge.h2('/api/v1/x', { headers });
      expect(edge.telemetry.metricsText()).toMatch(/svc_edge_loadshed_total\{[^}]*priority="low"[^}]*\} 0/);
      const shed = await ask({ 'x-api-key': plainKey });
      expect([shed.status, errorOf(shed).type, shed.headers['retry-after']]).toEqual([503, 'service_unavailable', '1']);
      const statuses = [
        await ask({ 'x-priority': 'low' }),
        await ask({ 'x-api-key': plainKey, 'x-priority': 'critical' }),
        await ask({ 'x-api-key': 'unknown', 'x-priority': 'critical' }),
        await ask({ 'x-api-key': criticalKey }),
        await ask({ 'x-api-key': criticalKey, 'x-priority': 'critical' }),
        await ask({ authorization: `Bearer ${criticalKey}`, 'x-priority': 'critical' }),
      ].map(({ status }) => status);
      expect(statuses).toEqual([503, 503, 503, 503, 200, 200]);
      expect(edge.telemetry.metricsText()).toMatch(/svc_edge_loadshed_total\{[^}]*priority="normal"[^}]*\} 4/);
    }));

  test('[edge.load-shedding] each key and each address has a token bucket, and a 429 states the seconds to wait', () =>
    withEdge(
      { rate_limit: { per_key: { per_second: 0.01, burst: 2 }, per_address: { per_second: 0.01, burst: 4 } } },
      async (edge) => {
        const ask = async (key: string) => {
          const answer = await edge.h2('/api/v1/x', { headers: { 'x-api-key': key } });
          return [answer.status, answer.headers['retry-after']];
        };
        expect([await ask('one'), await ask('one')]).toEqual([
          [200, undefined],
          [200, undefined],
        ]);
        expect(await ask('one')).toEqual([429, '100']);
        expect(await ask('two')).toEqual([200, undefined]);
        expect((await ask('three'))[0]).toBe(429); // the address has sent four requests
      },
    ));

  test('[edge.load-shedding] an unresponsive upstream results in 503, and only its own breaker opens', () =>
    withEdge({}, async (edge) => {
      edge.upstream.close();
      edge.upstream.closeAllConnections();
      const answers: Answer[] = [];
      for (let sent = 0; sent < 25; sent++) answers.push(await edge.h2('/api/v1/x'));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
      expect(errorOf(answers[0]!).message).toContain('does not answer');
      expect(answers.at(-1)!.headers['retry-after']).toBe('5');
      expect((await edge.h2('/admin/v1/x')).headers['retry-after']).toBe('1');
    }));

  test('[edge.hostile] no call is accepted while the configuration is unknown', () =>
    withEdge({}, async (edge) => expect((await edge.h2('/api/v1/x')).status).toBe(503), {
      unknown: new GatewayError('service_unavailable', 'no configuration'),
    }));

  test('[edge.hostile] connections with header bombs, smuggled lengths or a flood of stream resets are closed, while others are served', () =>
    withEdge({}, async (edge) => {
      const head = 'POST /api/v1/x HTTP/1.1\r\nhost: localhost\r\n';
      const both = `${head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`;
      expect(await raw(edge, both)).toMatch(/^HTTP\/1.1 400 /);
      expect(await raw(edge, `${head}content-length: 5\r\ncontent-length: 6\r\n\r\nhello!`)).toMatch(/^HTTP\/1.1 400 /);
      expect((await edge.h2('/api/v1/x', { headers: { x: 'a'.repeat(20_000) } })).status).toBe(431);

      const session = h2Session(edge, 'h2c');
      const closed = new Promise((resolve) => session.once('close', resolve));
      await once(session, 'connect');
      const opened = () => {
        const stream = session.request({ ':path': '/api/v1/x' });
        stream.on('error', () => {});
        setImmediate(() => stream.close(0x8)); // once it is in flight
        return new Promise((resolve) => stream.once('close', resolve));
      };
      for (let batch = 0; batch < 100 && !session.closed && !session.destroyed; batch++)
        await Promise.race([closed, Promise.all(Array.from({ length: 50 }, opened))]);
      await closed;
      expect((await edge.h2('/api/v1/x')).status).toBe(200);
      expect(edge.telemetry.metricsText()).toMatch(endedFor('protocol', '[1-9]'));
    }));

  test('[edge.hostile] [edge.load-shedding] an endless sequence of CONTINUATION frames closes the connection and is counted', () =>
    withEdge({}, async (edge) => {
      const { socket, closed } = endlessHead(edge);
      const goesOn = Buffer.concat(Array.from({ length: 20 }, () => frame(9, 0, 1)));
      const sending = setInterval(() => socket.writable && socket.write(goesOn), 5);
      await closed;
      clearInterval(sending);
      expect(edge.telemetry.metricsText()).toMatch(endedFor('protocol', 1));
      expect((await edge.h2('/api/v1/x')).status).toBe(200);
    }));

  test('[edge.hostile] an idle session whose headers never end is closed; a session with an open stream stays open', () =>
    withEdge(
      {},
      async (edge) => {
        const held = h2Session(edge, 'h2c');
        const stream = held.request({ ':path': '/api/v1/held' }).on('error', quiet);
        await once(stream, 'data');
        await endlessHead(edge).closed;
        expect([stream.destroyed, held.destroyed]).toEqual([false, false]);
        held.destroy();
      },
      { upstream: holding, idleMs: 100 },
    ));

  test('[edge.hostile] if too many connections are open, those without a request are closed first, starting with the longest idle', () =>
    withEdge(
      { max_connections: 4 },
      async (edge) => {
        const critical = { 'x-api-key': criticalKey, 'x-priority': 'critical' };
        const idle = async () => {
          const socket = new Socket().connect(edge.cleartextPort, 'localhost').on('error', quiet);
          socket.resume(); // otherwise its end is not noticed
          const closed = new Promise<void>((resolve) => void socket.once('close', resolve));
          await once(socket, 'connect');
          return { socket, closed };
        };
        const held = h2Session(edge, 'tls');
        const stream = held.request({ ':path': '/api/v1/held', ...critical }).on('error', quiet);
        await once(stream, 'data');
        const first = await idle();
        const others = [await idle(), await idle(), await idle()];
        await first.closed;
        expect((await edge.h2('/api/v1/x', { headers: critical })).status).toBe(200);
        await others[0]!.closed;
        expect([stream.destroyed, ...others.map(({ socket }) => socket.destroyed)]).toEqual([
          false,
          true,
          false,
          false,
        ]);
        const metrics = edge.telemetry.metricsText();
        expect(metrics).toMatch(endedFor('full', 2));
        expect(metrics).toMatch(/svc_edge_active_connections[^\n]* 4\n/);
        for (const { socket } of others) socket.destroy();
        held.destroy();
      },
      { upstream: holding },
    ));

  test('[edge.hostile] [http.expectation] a request that is not valid HTTP/1.1 gets a typed error that says what is allowed', () =>
    withEdge({}, async (edge) => {
      const get = 'GET /api/v1/x HTTP/1.1\r\n';
      const host = 'host: localhost\r\n';
      const sent: readonly (readonly [string, number, RegExp])[] = [
        [`${get}${host}x: ${'a'.repeat(20_000)}\r\n\r\n`, 413, /headers are larger than 10240 bytes/],
        [`${get}${host}x : y\r\n\r\n`, 400, /not well-formed HTTP\/1.1/],
        [`${get}${host}x: a\r\n b\r\n\r\n`, 400, /not well-formed/],
        [`${get.replace('\r', '')}${host}\r\n`, 400, /not well-formed/],
        [`${get}connection: close\r\n\r\n`, 400, /exactly one Host header/],
        [
          `${get}${host}expect: 200-ok\r\nconnection: close\r\n\r\n`,
          417,
          /Expect is "200-ok"; 100-continue is allowed/,
        ],
        [`GET /api/v1/x HTTP/2.0\r\n${host}connection: close\r\n\r\n`, 400, /HTTP\/2.0.*HTTP\/1.1/],
        [`CONNECT evil.example:443 HTTP/1.1\r\n${host}\r\n`, 405, /not a forward proxy/],
        [
          `POST /api/v1/x HTTP/1.1\r\n${host}transfer-encoding: gzip, chunked\r\nconnection: close\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
          400,
          /Transfer-Encoding is "gzip, chunked"; only chunked is allowed/,
        ],
      ];
      for (const [bytes, status, message] of sent) {
        const answer = await raw(edge, bytes);
        expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
        const { error } = JSON.parse(answer.split('\r\n\r\n')[1]!);
        expect([error.code, error.message]).toEqual([status, expect.stringMatching(message)]);
      }
      const overH2 = await edge.h2('/api/v1/x', { headers: { expect: '200-ok' } });
      expect([overH2.status, errorOf(overH2).type]).toEqual([417, 'expectation_failed']);
    }));

  test.each(['tls', 'cleartext'])(
    '[http.expectation] CONNECT over HTTP/2 (%s) gets the same response as over HTTP/1.1, and leaves no stream open',
    (listener) =>
      withEdge({}, async (edge) => {
        const session = h2Session(edge, listener);
        try {
          for (const authority of ['evil.example:443', `localhost:${edge.tlsPort}`]) {
            const stream = session.request({ ':method': 'CONNECT', ':authority': authority });
            const [headers] = await once(stream, 'response');
            const chunks: Buffer[] = [];
            for await (const chunk of stream) chunks.push(chunk);
            const { error } = JSON.parse(Buffer.concat(chunks).toString());
            expect([headers[':status'], error.type, error.message]).toEqual([
              405,
              'method_not_allowed',
              expect.stringContaining('not a forward proxy'),
            ]);
          }
          const beside = session.request({ ':path': '/api/v1/x', ':authority': `localhost:${edge.cleartextPort}` });
          expect((await once(beside, 'response'))[0][':status']).toBe(200);
        } finally {
          session.destroy();
        }
      }),
  );

  test('[http.expectation] an upgrade to HTTP/2 is ignored; chunked, in upper or lower case, is the only accepted transfer encoding', () =>
    withEdge({}, async (edge) => {
      const host = 'host: localhost\r\n';
      for (const upgrade of ['h2c', 'foo', 'TLS/1.0'])
        expect(
          await raw(edge, `GET /api/v1/x HTTP/1.1\r\n${host}connection: upgrade, close\r\nupgrade: ${upgrade}\r\n\r\n`),
        ).toMatch(/^HTTP\/1.1 200 [\s\S]*"url":"\/v1\/x"/);
      const chunked = `2\r\n{}\r\n0\r\n\r\n`;
      const post = (coding: string) =>
        raw(
          edge,
          `POST /api/v1/x HTTP/1.1\r\n${host}transfer-encoding: ${coding}\r\nconnection: close\r\n\r\n${chunked}`,
        );
      for (const coding of ['chunked', 'Chunked']) expect(await post(coding)).toMatch(/^HTTP\/1.1 200 /);
    }));

  test('[edge.listeners] an absolute URL for the gateway is treated as its path; an absolute URL for another host is refused', () =>
    withEdge({}, async (edge) => {
      const get = (target: string) =>
        raw(edge, `GET ${target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
      expect(await get('https://localhost/api/v1/x?a=b')).toContain('"url":"/v1/x?a=b"');
      expect(await get('https://evil.example/api/v1/x')).toMatch(/^HTTP\/1.1 403 /);
      expect(await get('https://localhost')).toMatch(/^HTTP\/1.1 404 /);
      expect(await get('https://localhost/api/../admin/x')).toMatch(/^HTTP\/1.1 404 /);
    }));

  test('[edge.hostile] no header is dropped, however many there are', () =>
    withEdge({}, async (edge) => {
      edge.upstream.maxHeadersCount = 0;
      const many = 'a:\r\n'.repeat(2_300);
      const bytes = `GET /api/v1/x HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n${many}x-last: here\r\n\r\n`;
      expect(await raw(edge, bytes)).toContain('"x-last":"here"');
    }));

  test('[edge.streams] responses are sent without waiting for an acknowledgement', async () => {
    const ports: (number | undefined)[] = [];
    const { setNoDelay } = Socket.prototype;
    const set = jest.spyOn(Socket.prototype, 'setNoDelay').mockImplementation(function (this: Socket, on = true) {
      if (on) ports.push(this.localPort);
      return setNoDelay.call(this, on);
    });
    try {
      await withEdge({}, async (edge) => {
        for (const protocol of protocols) {
          ports.length = 0;
          expect((await edge[protocol]('/api/v1/x')).status).toBe(200);
          expect(ports).toContain(protocol === 'h2c' ? edge.cleartextPort : edge.tlsPort);
        }
      });
    } finally {
      set.mockRestore();
    }
  });

  test.each(['h1', 'h2', 'h2c'])(
    '[edge.hostile] a response that its client (%s) does not read is aborted',
    async (protocol) => {
      const left = Promise.withResolvers<void>();
      const upstream: RequestListener = (request, response) => {
        if (request.url !== '/v1/endless') return echo(request, response);
        response.once('close', left.resolve);
        const more = () => {
          while (!response.destroyed && response.write(Buffer.alloc(64 * 1024)));
        };
        response.on('drain', more);
        more();
      };
      const path = '/api/v1/endless';
      const work = async (edge: TestEdge) => {
        const { cert: ca } = edge.certificate;
        const client =
          protocol === 'h1' ? connectTls({ host: 'localhost', port: edge.tlsPort, ca }) : h2Session(edge, protocol);
        // The client does not read: it has no listener for data.
        if ('request' in client) client.request({ ':path': path }).on('error', quiet);
        else client.on('error', quiet).write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
        await left.promise;
        expect((await edge.h2('/api/v1/x')).status).toBe(200);
        client.destroy();
      };
      await withEdge({}, work, { upstream, unreadMs: 500 });
    },
  );

  test('[edge.hostile] a subscriber that does not read its queued events is disconnected; a slow reader stays connected', () =>
    withEdge(
      {},
      async (edge) => {
        const subscriber = async (initialWindowSize: number) => {
          const session = h2Session(edge, 'h2c', { settings: { initialWindowSize } });
          await once(session, 'localSettings');
          return { session, stream: session.request({ ':path': '/api/v1/events' }).on('error', quiet) };
        };
        const [slow, deaf] = await Promise.all([subscriber(64), subscriber(0)]);
        let read = 0;
        slow.stream.on('data', (chunk: Buffer) => {
          read += chunk.length;
        });
        const ended = new Promise((resolve) => deaf.stream.once('close', resolve));
        deaf.stream.resume();
        await ended;
        expect(deaf.stream.rstCode).toBe(0xb);
        expect(edge.telemetry.metricsText()).toMatch(endedFor('unread', 1));
        const atEnd = read;
        while (read < atEnd * 2) await once(slow.stream, 'data');
        expect([read > 0, slow.stream.destroyed]).toEqual([true, false]);
        for (const { session } of [slow, deaf]) session.destroy();
      },
      {
        upstream: (_request, response) => {
          const sending = setInterval(() => response.write(`data: ${'x'.repeat(200)}\n\n`), 20);
          response.once('close', () => clearInterval(sending));
        },
        unreadMs: 600,
      },
    ));

  test('[edge.hostile] a connection whose TLS handshake does not complete is closed', () =>
    withEdge({}, async (edge) => {
      const closed = (first: string) =>
        new Promise<string>((resolve) => {
          const socket = new Socket().connect(edge.tlsPort, 'localhost');
          let answer = '';
          socket.on('data', (chunk) => {
            answer += chunk.toString('latin1');
          });
          socket.on('error', () => {});
          socket.once('close', () => resolve(answer));
          socket.write(first, 'latin1');
        });
      const hello = '\x16\x03\x01\x02\x00\x01';
      const answers = await Promise.all(['', hello, 'GET / HTTP/1.1\r\nhost: localhost\r\n\r\n', '\0\0\0'].map(closed));
      expect(answers.join('')).not.toContain('HTTP/');
      expect(edge.telemetry.metricsText()).toMatch(endedFor('handshake', 4));
      expect((await edge.h2('/api/v1/x')).status).toBe(200);
    }));

  test('[edge.hostile] h2c does not accept HTTP/1.1', () =>
    withEdge({}, async (edge) => {
      const request = httpRequest({ host: '127.0.0.1', port: edge.cleartextPort, path: '/api/v1/x' });
      const status = await new Promise((resolve) => {
        request.on('response', ({ statusCode }) => resolve(statusCode));
        request.on('error', () => resolve('closed'));
        request.end();
      });
      expect(status).not.toBe(200);
    }));
});
