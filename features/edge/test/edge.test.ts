/** The local edge over real connections: protocols, forwarded requests and refusals. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect as connectH2 } from 'node:http2';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { echo, errorOf, protocols } from './edge-clients.ts';
import { type Answer, edgeToken, plainKey, type TestEdge, testEdge } from './test-edge.ts';

const sentOn = ({ body }: Answer) =>
  JSON.parse(body) as { url: string; headers: Record<string, string>; body: string; bytes: number };
describe('requests', () => {
  let edge: TestEdge;
  beforeAll(async () => {
    edge = await testEdge(echo);
  });
  afterAll(() => edge.stop());

  test.each(protocols)('[edge.listeners] %s reaches each upstream by its prefix', async (protocol) => {
    const urls = ['/api/v1/models?limit=1', '/admin/v1/whoami', '/mcp'];
    const answers = await Promise.all(urls.map((url) => edge[protocol](url)));
    expect(answers.map((answer) => sentOn(answer).url)).toEqual(['/v1/models?limit=1', '/admin/v1/whoami', '/mcp']);
    for (const { status, headers } of answers) {
      expect([status, headers['set-cookie']]).toEqual([200, ['a=1', 'b=2']]);
      expect(headers['alt-svc']).toBeUndefined(); // HTTP/3 is not supported here
    }
    const nothing = await edge[protocol]('/v1/models');
    expect([nothing.status, errorOf(nothing).type]).toEqual([404, 'not_found']);
    expect(errorOf(nothing).message).toContain('/api/*');
  });

  test('[edge.streams] an HTTP/1.1 request reaches its upstream without a network connection', async () => {
    const connected = jest.fn();
    edge.upstream.on('connection', connected);
    const { url, headers } = sentOn(
      await edge.h1('/api/v1/x', { method: 'POST', headers: { 'transfer-encoding': 'chunked' }, body: 'x' }),
    );
    expect([url, headers['transfer-encoding']]).toEqual(['/v1/x', 'chunked']);
    expect(connected).not.toHaveBeenCalled();
  });

  test.each(protocols)(
    '[edge.forwarded] %s forwards the body, the headers and the real client address',
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

  test('[edge.listeners] accepts only TLS 1.3 with a P-256 certificate and X25519', async () => {
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

  test('[auth.host-header] a request for another authority is refused over both HTTP versions', async () => {
    const answers = [
      await edge.h1('/api/health', { headers: { host: 'evil.example' } }),
      await edge.h2('/api/health', { headers: { ':authority': 'evil.example' } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403]);
    const two = await edge.h2('/api/health', { headers: { ':authority': 'localhost', host: 'evil.example' } });
    expect([two.status, errorOf(two).type]).toEqual([400, 'invalid_request']);
  });

  test('[edge.load-shedding] requests and connections are counted, and the span names the upstream', async () => {
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

  test("[trace.caller] the caller's trace continues through the edge's span", async () => {
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
    '[edge.streams] %s forwards each event as it arrives, and ends the upstream request if the client disconnects',
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

  test.each(protocols)(
    '[edge.streams] over %s, a truncated response is not mistaken for a complete one',
    async (protocol) => {
      const edge = await testEdge((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/plain' });
        response.write('half', () => response.destroy());
      });
      try {
        await expect(edge[protocol]('/api/v1/half')).rejects.toThrow();
      } finally {
        await edge.stop();
      }
    },
  );

  test('[edge.streams] a WebSocket is passed through, and the client gets a response if the handshake is refused', async () => {
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
