/** The edge of the local host over real connections: protocols, what is handed on, what is refused. */
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect as connectH2 } from 'node:http2';
import { Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { GatewayError } from '#core/kernel/errors.ts';
import { type Answer, criticalKey, edgeToken, plainKey, type TestEdge, testEdge } from '../support/edge.ts';

/** Answers with what it was sent. */
function echo(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { method, url, headers } = request;
    response.setHeader('set-cookie', ['a=1', 'b=2']);
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        method,
        url,
        headers,
        body: Buffer.concat(chunks).toString().slice(0, 100),
        bytes: Buffer.concat(chunks).length,
      }),
    );
  });
}

const sentOn = ({ body }: Answer) =>
  JSON.parse(body) as { url: string; headers: Record<string, string>; body: string; bytes: number };
const errorOf = ({ body }: Answer) =>
  (JSON.parse(body) as { error: { code: number; type: string; message: string } }).error;
const protocols = ['h1', 'h2', 'h2c'] as const;

describe('requests', () => {
  let edge: TestEdge;
  beforeAll(async () => {
    edge = await testEdge(echo);
  });
  afterAll(() => edge.stop());

  test.each(protocols)('[edge.listeners] [edge.routing] %s reaches each upstream by its prefix', async (protocol) => {
    const urls = ['/api/v1/models?limit=1', '/admin/v1/whoami', '/mcp'];
    const answers = await Promise.all(urls.map((url) => edge[protocol](url)));
    expect(answers.map((answer) => sentOn(answer).url)).toEqual(['/v1/models?limit=1', '/admin/v1/whoami', '/mcp']);
    for (const { status, headers } of answers) {
      expect([status, headers['set-cookie']]).toEqual([200, ['a=1', 'b=2']]);
      expect(headers['alt-svc']).toBeUndefined(); // nobody speaks HTTP/3 here
    }
    const nothing = await edge[protocol]('/v1/models');
    expect([nothing.status, errorOf(nothing).type]).toEqual([404, 'not_found']);
    expect(errorOf(nothing).message).toContain('/api/*');
  });

  test('[edge.in-process] a request of HTTP/1.1 needs no connection to its upstream', async () => {
    const connected = jest.fn();
    edge.upstream.on('connection', connected);
    const { url, headers } = sentOn(
      await edge.h1('/api/v1/x', { method: 'POST', headers: { 'transfer-encoding': 'chunked' }, body: 'x' }),
    );
    expect([url, headers['transfer-encoding']]).toEqual(['/v1/x', 'chunked']);
    expect(connected).not.toHaveBeenCalled();
  });

  test.each(protocols)(
    '[edge.forwarded] [edge.address] %s hands on body, headers and the true address',
    async (protocol) => {
      const body = 'x'.repeat(300_000);
      const headers = {
        'x-api-key': plainKey,
        'x-forwarded-for': '10.0.0.1',
        'content-type': 'text/plain',
        'x-gateway-edge': 'guess',
      };
      const got = sentOn(await edge[protocol]('/api/v1/x', { method: 'POST', headers, body }));
      expect(got.bytes).toBe(300_000);
      expect(got.headers).toMatchObject({
        'x-api-key': plainKey,
        'content-type': 'text/plain',
        'x-forwarded-for': '127.0.0.1',
        'x-gateway-edge': edgeToken,
        'x-forwarded-proto': protocol === 'h2c' ? 'http' : 'https',
      });
      expect(got.headers.host).toMatch(/^127\.0\.0\.1:/);
    },
  );

  test('[auth.tls] TLS 1.3 with a P-256 certificate and X25519, and nothing older', async () => {
    const open = (maxVersion: 'TLSv1.2' | 'TLSv1.3') =>
      connectTls({
        host: 'localhost',
        port: edge.tlsPort,
        ca: edge.certificate.cert,
        maxVersion,
        ALPNProtocols: ['h2', 'http/1.1'],
      });
    const socket: TLSSocket = open('TLSv1.3');
    await once(socket, 'secureConnect');
    expect([socket.getProtocol(), socket.alpnProtocol]).toEqual(['TLSv1.3', 'h2']);
    expect(socket.getPeerCertificate()).toMatchObject({ nistCurve: 'P-256' });
    expect(socket.getEphemeralKeyInfo()).toMatchObject({ type: 'ECDH', name: 'X25519' });
    socket.destroy();
    await expect(once(open('TLSv1.2'), 'secureConnect')).rejects.toThrow(/version|alert/);
  });

  test('[edge.own-host] another authority is refused, over both versions', async () => {
    const answers = [
      await edge.h1('/api/health', { headers: { host: 'evil.example' } }),
      await edge.h2('/api/health', { headers: { ':authority': 'evil.example' } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403]);
    const two = await edge.h2('/api/health', { headers: { ':authority': 'localhost', host: 'evil.example' } });
    expect([two.status, errorOf(two).type]).toEqual([400, 'invalid_request']);
  });

  test('[edge.counters] requests and connections are counted, and the span names the upstream', async () => {
    await edge.h2('/api/counted?secret=1');
    const text = edge.telemetry.metricsText();
    expect(text).toMatch(/svc_edge_requests_total\{[^}]*upstream="gateway"[^}]*\} \d+/);
    expect(text).toMatch(/svc_edge_active_connections \d+/);
    const spans = edge.telemetry.recentTraces().flatMap((trace) => trace.spans);
    const span = spans.find(({ attributes }) => attributes['http.url'] === '/api/counted');
    expect(span).toMatchObject({
      name: 'edge.request',
      attributes: { 'http.method': 'GET', upstream: 'gateway', status_code: 200 },
    });
    expect(JSON.stringify(spans)).not.toContain('secret=1');
  });

  test("[trace.edge-parent] the caller's trace goes on through the edge's span", async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const { headers } = sentOn(await edge.h1('/api/traced', { headers: { traceparent } }));
    const span = edge.telemetry
      .recentTraces()
      .flatMap(({ spans }) => spans)
      .find(({ attributes }) => attributes['http.url'] === '/api/traced');
    expect(span?.parent_id).toBe('b7ad6b7169203331');
    expect(headers.traceparent).toBe(`00-0af7651916cd43dd8448eb211c80319c-${span?.span_id}-01`);
  });
});

describe('streams', () => {
  test.each(protocols)(
    '[edge.streams] %s passes each event when it comes, and a client that leaves ends the upstream',
    async (protocol) => {
      const left = Promise.withResolvers<void>();
      const edge = await testEdge((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('data: first\n\n');
        response.once('close', () => left.resolve());
      });
      try {
        if (protocol === 'h1') {
          const socket = connectTls({
            host: 'localhost',
            port: edge.tlsPort,
            ca: edge.certificate.cert,
            ALPNProtocols: ['http/1.1'],
          });
          socket.write('GET /api/v1/stream HTTP/1.1\r\nhost: localhost\r\n\r\n');
          for await (const chunk of socket) if (String(chunk).includes('data: first')) break;
          socket.destroy();
        } else {
          const url =
            protocol === 'h2' ? `https://localhost:${edge.tlsPort}` : `http://localhost:${edge.cleartextPort}`;
          const session = connectH2(url, { ca: edge.certificate.cert });
          const stream = session.request({ ':path': '/api/v1/stream' });
          const [chunk] = await once(stream, 'data');
          expect(String(chunk)).toBe('data: first\n\n');
          session.destroy();
        }
        await left.promise;
      } finally {
        await edge.stop();
      }
    },
  );

  test.each(protocols)('[edge.streams] over %s an answer that is cut off is not taken for whole', async (protocol) => {
    const edge = await testEdge((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.write('half', () => response.destroy());
    });
    try {
      await expect(edge[protocol]('/api/v1/half')).rejects.toThrow();
    } finally {
      await edge.stop();
    }
  });

  test('[edge.websocket] a WebSocket is passed through, and a refused handshake is answered', async () => {
    const edge = await testEdge((_request, response) => {
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end('{}');
    });
    edge.upstream.on('upgrade', (request: IncomingMessage, socket) => {
      if (request.headers['x-api-key'] !== plainKey)
        return socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n');
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n');
      socket.on('data', (bytes: Buffer) => socket.end(`echo ${bytes}`));
    });
    const handshake = (path: string, key: string) => {
      const socket = connectTls({
        host: 'localhost',
        port: edge.tlsPort,
        ca: edge.certificate.cert,
        ALPNProtocols: ['http/1.1'],
      });
      socket.write(
        `GET ${path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${key}\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n`,
      );
      return socket;
    };
    const textOf = async (socket: TLSSocket) => {
      let text = '';
      for await (const chunk of socket) {
        text += String(chunk);
        if (text.endsWith('\r\n\r\n') && text.startsWith('HTTP/1.1 101')) socket.write('hello');
      }
      return text;
    };
    try {
      expect(await textOf(handshake('/api/v1/ws', plainKey))).toMatch(/^HTTP\/1\.1 101 [\s\S]*echo hello$/);
      expect(await textOf(handshake('/api/v1/ws', 'wrong'))).toMatch(/^HTTP\/1\.1 401 /);
      expect(await textOf(handshake('/admin/v1/ws', plainKey))).toMatch(/^HTTP\/1\.1 404 /);
    } finally {
      await edge.stop();
    }
  });
});

/** Bytes as a client of HTTP/1.1 over TLS sends them; the whole answer, to the end of the connection. */
async function raw(edge: TestEdge, bytes: string): Promise<string> {
  const options = { host: 'localhost', port: edge.tlsPort, ca: edge.certificate.cert, ALPNProtocols: ['http/1.1'] };
  const socket = connectTls(options);
  socket.on('error', () => {});
  socket.write(bytes);
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}

describe('limits', () => {
  const withEdge = async (settings: object, work: (edge: TestEdge) => Promise<void>, unknown?: Error) => {
    const edge = await testEdge(echo, settings, unknown);
    try {
      await work(edge);
    } finally {
      await edge.stop();
    }
  };

  test('[edge.load-shedding] [edge.counters] at full load normal and low are shed with 503, and critical passes for keys so marked', () =>
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

  test('[edge.rate-limit] a token bucket for each key and each address: 429 with the seconds to wait', () =>
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
        expect((await ask('three'))[0]).toBe(429); // the address has sent four
      },
    ));

  test('[edge.rate-limit] an upstream that does not answer is 503, and its breaker opens for it alone', () =>
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

  test('[edge.fail-closed] without a known configuration nothing is let in', () =>
    withEdge(
      {},
      async (edge) => expect((await edge.h2('/api/v1/x')).status).toBe(503),
      new GatewayError('service_unavailable', 'no configuration'),
    ));

  test('[edge.hostile] header bombs, smuggled lengths and streams reset in a flood end; others are served', () =>
    withEdge({}, async (edge) => {
      const head = 'POST /api/v1/x HTTP/1.1\r\nhost: localhost\r\n';
      const both = `${head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`;
      expect(await raw(edge, both)).toMatch(/^HTTP\/1.1 400 /);
      expect(await raw(edge, `${head}content-length: 5\r\ncontent-length: 6\r\n\r\nhello!`)).toMatch(/^HTTP\/1.1 400 /);
      expect((await edge.h2('/api/v1/x', { headers: { x: 'a'.repeat(20_000) } })).status).toBe(431);

      const session = connectH2(`http://localhost:${edge.cleartextPort}`);
      session.on('error', () => {});
      const closed = new Promise((resolve) => session.once('close', resolve));
      await once(session, 'connect');
      const opened = () => {
        const stream = session.request({ ':path': '/api/v1/x' });
        stream.on('error', () => {});
        setImmediate(() => stream.close(0x8)); // once it is on its way
        return new Promise((resolve) => stream.once('close', resolve));
      };
      for (let batch = 0; batch < 100 && !session.closed && !session.destroyed; batch++)
        await Promise.race([closed, Promise.all(Array.from({ length: 50 }, opened))]);
      await closed;
      expect((await edge.h2('/api/v1/x')).status).toBe(200);
    }));

  test('[edge.hostile] [http.expectation] what is not HTTP/1.1 is answered with a typed error that says what is allowed', () =>
    withEdge({}, async (edge) => {
      const get = 'GET /api/v1/x HTTP/1.1\r\n';
      const host = 'host: localhost\r\n';
      const sent: readonly (readonly [string, number, RegExp])[] = [
        [`${get}${host}x: ${'a'.repeat(20_000)}\r\n\r\n`, 413, /headers are larger than 10240 bytes/],
        [`${get}${host}x : y\r\n\r\n`, 400, /not well-formed HTTP\/1.1/],
        [`${get}${host}x: a\r\n b\r\n\r\n`, 400, /not well-formed/],
        [`${get.replace('\r', '')}${host}\r\n`, 400, /not well-formed/],
        [`${get}connection: close\r\n\r\n`, 400, /exactly one Host header/],
        [`${get}${host}expect: 200-ok\r\n\r\n`, 417, /Expect is "200-ok"; 100-continue is allowed/],
        [`GET /api/v1/x HTTP/2.0\r\n${host}connection: close\r\n\r\n`, 400, /HTTP\/2.0.*HTTP\/1.1/],
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

  test('[edge.routing] the absolute form of an address of the gateway is its path; of another host it is refused', () =>
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

  test('[edge.no-delay] no connection waits for an acknowledgement before its answer is sent', async () => {
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

  test('[edge.hostile] h2c takes no HTTP/1.1', () =>
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
