/** The local listener against hostile bytes: a toy handler behind real sockets. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { systemIds } from '#adapters/system/ids.ts';
import type { HttpEvent, HttpHandler, HttpReply } from '#core/contracts/http.ts';
import type { Route } from '#core/contracts/routes.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { type HttpServer, listen } from '../../bin/local/http-server.ts';
import type { Loose } from '../support/loose.ts';

const route = (method: Route['method'], path: string): Route => ({
  ...{
    method,
    path,
    surface: 'admin',
    access: 'open',
    agents: 'yes',
    handledBy: 'observatory',
    operation: 'health',
    summary: '',
  },
});
const routes = [
  route('GET', '/things'),
  route('POST', '/things'),
  route('GET', '/things/{id}'),
  route('GET', '/things/special'),
  route('GET', '/stream'),
  route('GET', '/fault'),
  route('GET', '/broken-header'),
  route('GET', '/slow'),
];

const maxBodyBytes = 1000;
let server: HttpServer;
const logged: string[] = [];
const streams: { opened: number; closed: number; release: () => void }[] = [];
const slow = { arrived: Promise.withResolvers<void>(), go: Promise.withResolvers<void>() };

async function handler(event: HttpEvent): Promise<HttpReply> {
  const json = (body: unknown): HttpReply => ({
    statusCode: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (event.resource === '/fault') throw new Error('secret detail');
  if (event.resource === '/broken-header') return { statusCode: 200, headers: { 'x-bad': 'a\r\nb: c' }, body: '' };
  if (event.resource === '/stream')
    return { statusCode: 200, headers: { 'content-type': 'text/plain' }, body: endless() };
  if (event.resource === '/slow') {
    slow.arrived.resolve();
    await slow.go.promise;
  }
  return json({ ...event, requestContext: undefined, sourceIp: event.requestContext.identity.sourceIp });
}

async function* endless(): AsyncGenerator<string> {
  const stream = { opened: 0, closed: 0, release: () => {} };
  streams.push(stream);
  try {
    for (;;) {
      stream.opened++;
      yield 'x'.repeat(65_536);
    }
  } finally {
    stream.closed++;
    stream.release();
  }
}

const serverOf = (more: object = {}) =>
  listen({
    routes,
    handlers: Promise.resolve({ observatory: handler }),
    ids: systemIds,
    telemetry: { log: (...line: unknown[]) => void logged.push(JSON.stringify(line)) } as never,
    maxBodyBytes: async () => maxBodyBytes,
    host: '127.0.0.1',
    port: 0,
    ...more,
  });

beforeAll(async () => {
  server = await serverOf();
});
afterAll(() => server.drain(0));

interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
  body: Loose;
}

/** Sends bytes as they are, and reads until the server closes or `whole` says that the answer is complete. */
async function raw(bytes: string | Buffer | (string | Buffer)[], port = server.port): Promise<Answer> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  for (const part of [bytes].flat()) socket.write(part);
  return answerFrom(socket);
}

async function answerFrom(socket: Socket): Promise<Answer> {
  let all = '';
  socket.setEncoding('latin1');
  socket.on('error', () => {});
  for await (const text of socket) {
    all += text;
    const head = all.indexOf('\r\n\r\n');
    const length = /content-length: (\d+)/i.exec(all.slice(0, head))?.[1];
    if (head >= 0 && length !== undefined && all.length >= head + 4 + Number(length)) break;
  }
  socket.destroy();
  const [head = '', bytes = ''] = all.split(/\r\n\r\n(.*)/s);
  const text = Buffer.from(bytes, 'latin1').toString();
  const [first = '', ...lines] = head.split('\r\n');
  const pair = (line: string) => [line.split(':')[0]?.toLowerCase(), line.replace(/^[^:]*: /, '')];
  const headers = Object.fromEntries(lines.map(pair));
  const isJson = headers['content-type'] === 'application/json' && text !== '';
  return { status: Number(first.split(' ')[1]), headers, text, body: isJson ? JSON.parse(text) : undefined };
}

const head = (line: string, ...headers: string[]) => `${[`${line} HTTP/1.1`, ...headers].join('\r\n')}\r\n\r\n`;
const get = (path: string, ...headers: string[]) => raw(head(`GET ${path}`, 'Host: localhost', ...headers));
const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`;

const refusals: [name: string, sent: string | string[], status: number, type: string, says: RegExp][] = [
  ['no HTTP at all', 'hello\r\n\r\n', 400, 'invalid_request', /well-formed/],
  [
    'TLS on a plain port',
    '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\r\n\r\n',
    400,
    'invalid_request',
    /well-formed/,
  ],
  ['a header without colon', head('GET /things', 'Host: localhost', 'nonsense'), 400, 'invalid_request', /well-formed/],
  ['a folded header', head('GET /things', 'Host: localhost', 'a: b', ' c'), 400, 'invalid_request', /well-formed/],
  [
    'two lengths',
    head('POST /things', 'Host: localhost', 'Content-Length: 1', 'Content-Length: 2'),
    400,
    'invalid_request',
    /well-formed/,
  ],
  [
    'length and chunks together',
    head('POST /things', 'Host: localhost', 'Content-Length: 3', 'Transfer-Encoding: chunked'),
    400,
    'invalid_request',
    /well-formed/,
  ],
  [
    'a bad chunk size',
    `${head('POST /things', 'Host: localhost', 'Transfer-Encoding: chunked')}zz\r\n`,
    400,
    'invalid_request',
    /./,
  ],
  [
    'headers of 11 kB',
    head('GET /things', 'Host: localhost', `x: ${'y'.repeat(11_000)}`),
    413,
    'payload_too_large',
    /10240/,
  ],
  ['a path of 11 kB', head(`GET /${'y'.repeat(11_000)}`, 'Host: localhost'), 413, 'payload_too_large', /10240/],
  ['no Host', head('GET /things'), 400, 'invalid_request', /exactly one Host/],
  ['two Hosts', head('GET /things', 'Host: localhost', 'Host: localhost'), 400, 'invalid_request', /exactly one Host/],
  ['a foreign Host', head('GET /things', 'Host: evil.example'), 403, 'forbidden', /Host/],
  ['a foreign Host with our name in it', head('GET /things', 'Host: localhost.evil.example'), 403, 'forbidden', /Host/],
  ['a Host with a user', head('GET /things', 'Host: localhost@evil.example'), 403, 'forbidden', /Host/],
  ['a Host that is an address', head('GET /things', 'Host: 10.0.0.1'), 403, 'forbidden', /Host/],
  ['a foreign absolute form', head('GET http://evil.example/things', 'Host: localhost'), 403, 'forbidden', /Host/],
  ['an unknown path', head('GET /nothing', 'Host: localhost'), 404, 'not_found', /\/nothing/],
  ['a doubled slash', head('GET //things', 'Host: localhost'), 404, 'not_found', /\/\/things/],
  ['a trailing slash', head('GET /things/', 'Host: localhost'), 404, 'not_found', /./],
  ['dots upward', head('GET /things/../things', 'Host: localhost'), 404, 'not_found', /./],
  ['an encoded route', head('GET /%74hings', 'Host: localhost'), 404, 'not_found', /./],
  ['a wrong method', head('DELETE /things', 'Host: localhost'), 405, 'method_not_allowed', /DELETE.*GET, HEAD, POST/],
  ['an unknown method', head('PROPFIND /things', 'Host: localhost'), 405, 'method_not_allowed', /PROPFIND/],
  ['OPTIONS', head('OPTIONS /things', 'Host: localhost'), 405, 'method_not_allowed', /OPTIONS/],
  ['OPTIONS *', head('OPTIONS *', 'Host: localhost'), 400, 'invalid_request', /target/],
  ['HEAD of nothing', head('HEAD /nothing', 'Host: localhost', 'Connection: close'), 404, '', /^/],
  ['CONNECT', head('CONNECT evil.example:443', 'Host: localhost'), 405, 'method_not_allowed', /CONNECT/],
  [
    'a body that is too long',
    head('POST /things', 'Host: localhost', 'Content-Length: 1001') + 'x'.repeat(1001),
    413,
    'payload_too_large',
    /1000 bytes/,
  ],
  [
    'chunks that are too long',
    [head('POST /things', 'Host: localhost', 'Transfer-Encoding: chunked'), ...Array(8).fill(chunk(300)), '0\r\n\r\n'],
    413,
    'payload_too_large',
    /1000 bytes/,
  ],
  [
    'a long body announced',
    head('POST /things', 'Host: localhost', 'Content-Length: 5000', 'Expect: 100-continue'),
    413,
    'payload_too_large',
    /1000 bytes/,
  ],
];

describe('refuses', () => {
  test.each(refusals)('%s', async (_, sent, status, type, says) => {
    const answer = await raw(sent);
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    if (type === '') return expect(answer.text).toBe('');
    expect(answer.body.error).toMatchObject({ code: status, type, message: expect.stringMatching(says) });
  });

  test('names the allowed methods in a header', async () => {
    expect((await raw(head('PUT /things', 'Host: localhost'))).headers.allow).toBe('GET, HEAD, POST');
  });

  test.each([
    ['announced', `Content-Length: ${64 * 1024 * 1024}`],
    ['in chunks', 'Transfer-Encoding: chunked'],
  ])('[auth.before-body] a body of a caller whom the handler refuses is not read: %s', async (_, length) => {
    const closed = await serverOf({ bodyLimit: async () => 0 });
    try {
      const socket = connect(closed.port, '127.0.0.1');
      const answer = collected(socket);
      socket.write(head('POST /things', 'Host: localhost', length));
      const chunk = 'x'.repeat(1_000);
      for (let n = 0; n < 200; n++) socket.write(length.startsWith('T') ? `3e8\r\n${chunk}\r\n` : chunk);
      const text = await answer;
      expect(text).toMatch(/^HTTP\/1.1 200 /);
      expect(text).toMatch(/connection: close/i);
      expect(text).toContain('"body":null');
      expect(text).not.toContain('100 Continue');
    } finally {
      await closed.drain(0);
    }
  });

  test('[auth.before-body] a client that waits for `100 Continue` is answered instead', async () => {
    const closed = await serverOf({ bodyLimit: async () => 0 });
    try {
      const socket = connect(closed.port, '127.0.0.1');
      socket.write(head('POST /things', 'Host: localhost', 'Content-Length: 10', 'Expect: 100-continue'));
      expect(await collected(socket)).toMatch(/^HTTP\/1.1 200 /);
    } finally {
      await closed.drain(0);
    }
  });

  test('a body that never ends is answered nevertheless', async () => {
    const socket = connect(server.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(head('POST /things', 'Host: localhost', 'Transfer-Encoding: chunked'));
    const push = () => void (socket.writable && socket.write(chunk(1024 * 1024), push));
    push();
    expect((await answerFrom(socket)).status).toBe(413);
  });

  test('slow clients are ended, before the headers and within the body', async () => {
    const quick = await serverOf({ headersTimeoutMs: 100, requestTimeoutMs: 200 });
    const [headers, body] = await Promise.all([
      raw('GET /things HTTP/1.1\r\nHost: localhost\r\n', quick.port),
      raw(`${head('POST /things', 'Host: localhost', 'Content-Length: 10')}abc`, quick.port),
    ]);
    expect([headers.status, body.status]).toEqual([400, 400]);
    expect(headers.body.error.message).toMatch(/in time/);
    await quick.drain(0);
  });
});

describe('passes on', () => {
  test('method, path, parameters, query and headers as API Gateway does', async () => {
    const { body } = await get('/things/a%2Fb?q=1&q=2&e=&p=%C3%A9', 'X-Api-Key: one', 'x-API-key: two');
    expect(body).toMatchObject({
      httpMethod: 'GET',
      path: '/things/a%2Fb',
      resource: '/things/{id}',
      pathParameters: { id: 'a%2Fb' },
      queryStringParameters: { q: '2', e: '', p: 'é' },
      multiValueQueryStringParameters: { q: ['1', '2'], e: [''], p: ['é'] },
      headers: { host: 'localhost', 'x-api-key': 'two' },
      multiValueHeaders: { 'x-api-key': ['one', 'two'] },
      body: null,
      isBase64Encoded: false,
      sourceIp: '127.0.0.1',
    });
  });

  test('the literal route before the parameter, nothing as null', async () => {
    const { body } = await get('/things/special');
    expect(body).toMatchObject({ resource: '/things/special', pathParameters: null, queryStringParameters: null });
  });

  test.each(['localhost', 'LOCALHOST:8081', '127.0.0.1:1', '[::1]:8081', '[::1]'])('Host %s', async (host) => {
    expect((await raw(head('GET /things', `Host: ${host}`))).status).toBe(200);
  });

  test('addresses as Host where every address is listened on, never names', async () => {
    const open = await serverOf({ host: '0.0.0.0' });
    const status = async (host: string) => (await raw(head('GET /things', `Host: ${host}`), open.port)).status;
    expect(await Promise.all(['10.1.2.3:80', '[fe80::1]', 'evil.example'].map(status))).toEqual([200, 200, 403]);
    await open.drain(0);
  });

  test('the absolute form', async () => {
    const { body } = await raw(head('GET http://localhost/things?a=1', 'Host: localhost'));
    expect(body).toMatchObject({ path: '/things', queryStringParameters: { a: '1' } });
  });

  const post = (body: Buffer) =>
    raw([head('POST /things', 'Host: localhost', `Content-Length: ${body.length}`), body]).then(
      (answer) => answer.body,
    );

  test('text as text, byte order mark included', async () => {
    const body = await post(Buffer.from('\ufeff{"é":"\u0000"}'));
    expect(body).toMatchObject({ body: '\ufeff{"é":"\u0000"}', isBase64Encoded: false });
  });

  test('bytes that are not UTF-8 exactly, in base64', async () => {
    const bytes = Buffer.from([0x7b, 0xff, 0xfe, 0xed, 0xa0, 0x80, 0x00]);
    expect(await post(bytes)).toMatchObject({ body: bytes.toString('base64'), isBase64Encoded: true });
  });

  test('a body of exactly the limit', async () => {
    expect((await post(Buffer.alloc(maxBodyBytes, 'x'))).body).toHaveLength(maxBodyBytes);
  });

  test('[http.expectation] what waits for 100 Continue; any other expectation is a typed 417', async () => {
    const sent = (expect: string) =>
      raw([
        head('POST /things', 'Host: localhost', `Expect: ${expect}`, 'Content-Length: 2', 'Connection: close'),
        'ab',
      ]);
    const goesOn = await sent('100-Continue');
    expect(goesOn.status).toBe(100);
    expect(goesOn.text).toMatch(/^HTTP\/1\.1 200 OK/);
    for (const other of ['200-ok', '100-continue, more', 'x100-continue', '']) {
      const { status, body } = await sent(other);
      expect([status, body.error.type]).toEqual([417, 'expectation_failed']);
      expect(body.error.message).toBe(
        `Expect is ${JSON.stringify(other)}; 100-continue is allowed. Send the request without it.`,
      );
    }
  });

  test('hundreds of headers, none dropped', async () => {
    const { body } = await get('/things', ...Array.from({ length: 1100 }, (_, at) => `a:${at % 10}`));
    expect(body.multiValueHeaders.a).toHaveLength(1100);
  });
});

describe('answers', () => {
  test('HEAD with the headers of GET and no body', async () => {
    const { body, ...answer } = await raw(head('HEAD /things', 'Host: localhost', 'Connection: close'));
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(Number(answer.headers['content-length'])).toBeGreaterThan(100);
  });

  test('HEAD of a stream ends the source', async () => {
    expect((await raw(head('HEAD /stream', 'Host: localhost', 'Connection: close'))).status).toBe(200);
  });

  test.each(['/fault', '/broken-header'])('a failing handler as 500 without detail: %s', async (path) => {
    const { status, text, body } = await get(path);
    expect([status, body.error.type]).toEqual([500, 'server_error']);
    expect(text).not.toMatch(/secret detail|ERR_/);
    expect(logged.join()).toContain(body.error.type === 'server_error' ? 'A request failed.' : '');
  });

  test('typed errors with Retry-After', async () => {
    const limited = await serverOf({
      handlers: Promise.resolve({
        observatory: async () => {
          throw new GatewayError('rate_limit_error', 'Slow down.', { retryAfterSeconds: 7 });
        },
      }),
    });
    const answer = await raw(head('GET /things', 'Host: localhost'), limited.port);
    expect([answer.status, answer.headers['retry-after'], answer.body.error.type]).toEqual([
      429,
      '7',
      'rate_limit_error',
    ]);
    await limited.drain(0);
  });

  test('streams with back-pressure, and ends the source when the client goes', async () => {
    const socket = connect(server.port, '127.0.0.1');
    socket.write(head('GET /stream', 'Host: localhost'));
    await once(socket, 'data');
    const stream = streams.at(-1)!;
    socket.pause();
    const closed = new Promise<void>((resolve) => (stream.release = resolve));
    socket.destroy();
    await closed;
    expect(stream).toMatchObject({ closed: 1 });
    expect(stream.opened).toBeLessThan(1000); // an endless source that nobody reads did not run on
  });

  test('several requests on one connection, refusals among them', async () => {
    const line = (path: string, ...headers: string[]) => head(`GET ${path}`, 'Host: localhost', ...headers);
    const socket = connect(server.port, '127.0.0.1');
    socket.end(line('/nothing') + line('/things') + line('/fault') + line('/things', 'Connection: close'));
    let all = '';
    for await (const text of socket.setEncoding('latin1')) all += text;
    expect(all.match(/HTTP\/1\.1 \d+/g)).toEqual(['404', '200', '500', '200'].map((code) => `HTTP/1.1 ${code}`));
  });
});

describe('a reply that streams', () => {
  /** A listener whose handler is the test's own. */
  const serving = (handler: HttpHandler, more: object = {}) =>
    serverOf({ handlers: Promise.resolve({ observatory: handler }), ...more });
  const events = (body: AsyncIterable<string>): HttpReply => ({
    statusCode: 200,
    headers: { 'content-type': 'text/event-stream', 'content-length': '3' },
    body,
  });
  /** A body whose chunks the test gives one by one. */
  function scripted() {
    const wanted = [Promise.withResolvers<IteratorResult<string>>()];
    let asked = 0;
    const give = (result: IteratorResult<string>) => {
      wanted.at(-1)?.resolve(result);
      wanted.push(Promise.withResolvers());
    };
    const returned = Promise.withResolvers<void>();
    const iterator = {
      next: () => wanted[asked++]!.promise,
      return: async () => {
        returned.resolve();
        return { done: true as const, value: undefined };
      },
    };
    return {
      body: { [Symbol.asyncIterator]: () => iterator },
      say: (value: string) => give({ done: false, value }),
      end: () => give({ done: true, value: undefined }),
      fail: (fault: Error) => wanted.at(-1)?.reject(fault),
      returned: returned.promise,
    };
  }
  /** A client that reads until it has seen a text. */
  async function client(port: number, path = '/things', ...headers: string[]) {
    const socket = connect(port, '127.0.0.1');
    socket.setEncoding('latin1');
    let all = '';
    const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(all)));
    socket.on('error', () => {});
    let look = () => {};
    socket.on('data', (text: string) => {
      all += text;
      look();
    });
    const request = () => socket.write(head(`GET ${path}`, 'Host: localhost', ...headers));
    request();
    return {
      socket,
      request,
      closed,
      seen: (text: string) =>
        new Promise<string>((resolve) => {
          look = () => all.includes(text) && resolve(all);
          look();
        }),
    };
  }

  test('headers before the first chunk, then each chunk as it comes; the connection lives on', async () => {
    const scripts = [scripted(), scripted()] as const;
    const bodies = [...scripts];
    const streaming = await serving(async () => events(bodies.shift()!.body));
    const { seen, request, socket } = await client(streaming.port);
    const headers = await seen('\r\n\r\n');
    expect(headers).toMatch(/^HTTP\/1.1 200/);
    expect(headers).toMatch(/transfer-encoding: chunked/i);
    expect(headers).toMatch(/x-accel-buffering: no/i);
    expect(headers).toMatch(/cache-control: no-store/i);
    expect(headers).not.toMatch(/content-length/i);
    scripts[0].say('data: é\n\n');
    await seen('a\r\ndata: Ã©\n\n');
    scripts[0].say(''); // nothing, and not the end
    scripts[0].say('data: two\n\n');
    await seen('data: two\n\n');
    scripts[0].end();
    await seen('0\r\n\r\n');
    request();
    scripts[1].say('data: three\n\n');
    await seen('data: three\n\n');
    scripts[1].end();
    socket.destroy();
    await streaming.drain(0);
  });

  test('a client that goes ends the source without waiting for its next chunk, and aborts the signal', async () => {
    const script = scripted();
    const signals: AbortSignal[] = [];
    const streaming = await serving(async (_, { signal }) => {
      signals.push(signal!);
      return events(script.body);
    });
    const { seen, socket } = await client(streaming.port);
    script.say('data: one\n\n');
    await seen('data: one');
    socket.destroy();
    await script.returned;
    await aborted(signals[0]!);
    await streaming.drain(0);
  });

  test('a source that fails cuts the connection: what came is not taken for whole', async () => {
    const script = scripted();
    const streaming = await serving(async () => events(script.body));
    const { seen, closed } = await client(streaming.port);
    script.say('data: one\n\n');
    await seen('data: one');
    script.fail(new Error('secret detail'));
    const all = await closed;
    expect(all).not.toContain('0\r\n\r\n');
    expect(all).not.toContain('secret detail');
    expect(logged.at(-1)).toContain('A request failed.');
    await streaming.drain(0);
  });

  test('a source that fails at once is a typed error', async () => {
    const streaming = await serving(async () =>
      events({
        [Symbol.asyncIterator]: () => ({
          next: () => Promise.reject(new GatewayError('provider_timeout', 'The provider said nothing.')),
        }),
      }),
    );
    const answer = await raw(head('GET /things', 'Host: localhost'), streaming.port);
    expect([answer.status, answer.body.error.type]).toEqual([504, 'provider_timeout']);
    await streaming.drain(0);
  });

  test('takes longer than a request may: that limit is for what the client sends', async () => {
    const script = scripted();
    // Long enough for a whole request to arrive while the machine is busy.
    const limits = { headersTimeoutMs: 2_000, requestTimeoutMs: 2_000 };
    const streaming = await serving(async () => events(script.body), limits);
    const { seen, socket } = await client(streaming.port);
    script.say('data: one\n\n');
    await seen('data: one');
    for (let late = 0; late < 2; late++) {
      const slowClient = await raw('GET /things HTTP/1.1\r\nHost: localhost\r\n', streaming.port);
      expect(slowClient.status).toBe(400);
    }
    script.say('data: two\n\n');
    await seen('data: two');
    script.end();
    await seen('0\r\n\r\n');
    socket.destroy();
    await streaming.drain(0);
  });

  test('a client that reads slowly gets all of it', async () => {
    const lines = Array.from({ length: 300 }, (_, n) => `${n}:${'ü'.repeat(10_000)}\n`);
    const streaming = await serving(async () => ({
      statusCode: 200,
      headers: { 'content-type': 'text/plain' },
      body: (async function* () {
        yield* lines;
      })(),
    }));
    const answer = await fetch(`http://127.0.0.1:${streaming.port}/things`);
    let text = '';
    for await (const part of answer.body!.pipeThrough(new TextDecoderStream())) text += part;
    expect(text).toBe(lines.join(''));
    await streaming.drain(0);
  });
});

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve());
  });

describe('the signal of a call', () => {
  test('aborts when the client goes before the first byte, for each call that waits on the connection', async () => {
    const signals: AbortSignal[] = [];
    const both = Promise.withResolvers<void>();
    const waiting = await serverOf({
      handlers: Promise.resolve({
        observatory: async (_: HttpEvent, { signal }: { signal: AbortSignal }) => {
          signals.push(signal);
          if (signals.length === 2) both.resolve();
          await aborted(signal);
          return { statusCode: 200, headers: {}, body: 'nobody reads this' };
        },
      }),
    });
    const socket = connect(waiting.port, '127.0.0.1');
    socket.write(head('GET /things', 'Host: localhost').repeat(2));
    await both.promise;
    socket.destroy();
    await Promise.all(signals.map(aborted));
    await waiting.drain(0);
  });

  test('stays when the reply has ended, whatever the client does then', async () => {
    const signals: AbortSignal[] = [];
    const answering = await serverOf({
      handlers: Promise.resolve({
        observatory: async (_: HttpEvent, { signal }: { signal: AbortSignal }) => {
          signals.push(signal);
          return { statusCode: 200, headers: {}, body: 'done' };
        },
      }),
    });
    await raw(head('GET /things', 'Host: localhost'), answering.port); // closes when it has read
    await answering.drain(0);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });
});

describe('upgrades', () => {
  const handshake = (path: string, ...headers: string[]) =>
    head(
      `GET ${path}`,
      ...(headers.length > 0 ? headers : ['Host: localhost']),
      'Connection: Upgrade',
      'Upgrade: websocket',
    );
  const echoing = (more: object = {}) =>
    serverOf({
      upgrade: (_: unknown, socket: Socket, first: Buffer) => {
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
        socket.write(first);
        socket.pipe(socket);
      },
      ...more,
    });

  test('go to who takes them over, with what was sent already', async () => {
    const open = await echoing();
    const socket = connect(open.port, '127.0.0.1');
    socket.setEncoding('latin1').write(`${handshake('/things')}early`);
    let all = '';
    for await (const text of socket) {
      all += text;
      if (all.endsWith('early')) socket.write('late');
      if (all.endsWith('late')) break;
    }
    expect(all).toMatch(/^HTTP\/1.1 101 .*earlylate$/s);
    await open.drain(0);
  });

  test.each([
    ['a foreign Host', handshake('/things', 'Host: evil.example'), 403, 'forbidden'],
    ['no Host', handshake('/things', 'Accept: */*'), 400, 'invalid_request'],
  ])('%s never gets there', async (_, sent, status, type) => {
    const open = await echoing();
    const answer = await raw(sent, open.port);
    expect([answer.status, answer.body.error.type, answer.headers['x-request-id']]).toEqual([
      status,
      type,
      expect.any(String),
    ]);
    await open.drain(0);
  });

  test('are refused where no handler takes them', async () => {
    const answers = [await raw(handshake('/things')), await raw(handshake('/nothing'))];
    expect(answers.map(({ status, body }) => [status, body.error.type])).toEqual(Array(2).fill([404, 'not_found']));
  });

  test('to another protocol are passed over, and the request is answered', async () => {
    const open = await echoing();
    const h2c = head('GET /things', 'Host: localhost', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c');
    expect((await raw(h2c, open.port)).status).toBe(200);
    expect((await raw(h2c)).status).toBe(200);
    await open.drain(0);
  });

  test('one that fails is refused, and one that breaks off does no harm', async () => {
    const open = await echoing({
      upgrade: () => {
        throw new GatewayError('authentication_error', 'Send a key.');
      },
    });
    expect((await raw(handshake('/things'), open.port)).status).toBe(401);
    const socket = connect(open.port, '127.0.0.1');
    socket.write(handshake('/things'));
    socket.resetAndDestroy();
    expect((await raw(head('GET /things', 'Host: localhost'), open.port)).status).toBe(200);
    await open.drain(0);
  });

  test('are cut by a drain that has waited long enough', async () => {
    const open = await echoing();
    const socket = connect(open.port, '127.0.0.1');
    socket.write(handshake('/things'));
    await once(socket, 'data');
    const closed = once(socket, 'close');
    await open.drain(10);
    await closed;
  });
});

test('draining finishes what is in flight and accepts nothing more', async () => {
  const leaving = await serverOf();
  const socket = connect(leaving.port, '127.0.0.1');
  socket.write(head('GET /slow', 'Host: localhost'));
  const answer = answerFrom(socket);
  await slow.arrived.promise;
  const drained = leaving.drain();
  const refused = connect(leaving.port, '127.0.0.1');
  expect((await once(refused, 'error'))[0].code).toBe('ECONNREFUSED');
  slow.go.resolve();
  expect(await answer).toMatchObject({ status: 200, headers: { connection: 'close' } });
  await drained;
});

test('a port in use is said plainly', async () => {
  await expect(serverOf({ port: server.port })).rejects.toThrow(/in use.*another port/);
});

/** Everything the server sends until it closes. */
async function collected(socket: Socket): Promise<string> {
  let text = '';
  socket.on('error', () => {});
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await once(socket, 'close');
  return text;
}
