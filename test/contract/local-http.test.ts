/** The local listener against hostile bytes, with a trivial handler behind real sockets. */
import { once } from 'node:events';
import { connect, Socket } from 'node:net';
import * as z from 'zod';
import { answerFrom, chunk, get, head, maxBodyBytes, raw, server, serverOf, slow } from '../support/raw-http.ts';
import { readCases } from '../support/yaml.ts';

const refusals = readCases(
  'test/contract/local-http.yaml',
  z.array(z.tuple([z.string(), z.string(), z.number(), z.string(), z.string()])),
);
const line = (request: string, ...headers: string[]) => head(request, 'Host: localhost', ...headers);
const chunks = [line('POST /things', 'Transfer-Encoding: chunked'), ...Array(8).fill(chunk(300)), '0\r\n\r\n'];
const large = 'payload_too_large';

describe('refuses', () => {
  test.each<[string, string | string[], number, string, string]>([
    ...refusals,
    ['headers of 11 kB', line('GET /things', `x: ${'y'.repeat(11_000)}`), 413, large, '10240'],
    ['a path of 11 kB', line(`GET /${'y'.repeat(11_000)}`), 413, large, '10240'],
    ['a long body', line('POST /things', 'Content-Length: 1001') + 'x'.repeat(1001), 413, large, '1000 bytes'],
    ['long chunks', chunks, 413, large, '1000 bytes'],
  ])('%s', async (_, sent, status, type, says) => {
    const answer = await raw(sent);
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    if (type === '') return expect(answer.text).toBe('');
    expect(answer.body.error).toMatchObject({ code: status, type, message: expect.stringMatching(new RegExp(says)) });
  });

  test('lists the allowed methods in a header', async () => {
    expect((await raw(head('PUT /things', 'Host: localhost'))).headers.allow).toBe('GET, HEAD, POST');
  });

  test.each([
    ['announced', `Content-Length: ${64 * 1024 * 1024}`],
    ['in chunks', 'Transfer-Encoding: chunked'],
  ])('[auth.before-body] the body of a request that the handler refuses is not read: %s', async (_, length) => {
    const closed = await serverOf({ beforeBody: async () => ({ bodyBytes: 0 }) });
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

  test('[auth.before-body] a client that waits for `100 Continue` gets a response instead', async () => {
    const closed = await serverOf({ beforeBody: async () => ({ bodyBytes: 0 }) });
    try {
      const socket = connect(closed.port, '127.0.0.1');
      socket.write(head('POST /things', 'Host: localhost', 'Content-Length: 10', 'Expect: 100-continue'));
      expect(await collected(socket)).toMatch(/^HTTP\/1.1 200 /);
    } finally {
      await closed.drain(0);
    }
  });

  test('a body that never ends still gets a response', async () => {
    const socket = connect(server.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(head('POST /things', 'Host: localhost', 'Transfer-Encoding: chunked'));
    const push = () => void (socket.writable && socket.write(chunk(1024 * 1024), push));
    push();
    expect((await answerFrom(socket)).status).toBe(413);
  });

  test('[http.connections] an idle connection stays open 30 seconds longer than the Keep-Alive header says', async () => {
    const waits = jest.spyOn(Socket.prototype, 'setTimeout');
    try {
      const { headers } = await fetch(`http://127.0.0.1:${server.port}/things/a`);
      expect(headers.get('keep-alive')).toBe('timeout=10');
      expect(waits.mock.calls.map(([ms]) => ms)).toContain(40_000);
    } finally {
      waits.mockRestore();
    }
  });

  test('slow clients are disconnected, whether the headers or the body is slow', async () => {
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
  test('method, path, parameters, query and headers in API Gateway format', async () => {
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

  test('a literal route takes precedence over a parameter, and an empty value becomes null', async () => {
    const { body } = await get('/things/special');
    expect(body).toMatchObject({ resource: '/things/special', pathParameters: null, queryStringParameters: null });
  });

  test.each(['localhost', 'LOCALHOST:8081', '127.0.0.1:1', '[::1]:8081', '[::1]'])('Host %s', async (host) => {
    expect((await raw(head('GET /things', `Host: ${host}`))).status).toBe(200);
  });

  test('[auth.host-header] accepts IP addresses as Host if the listener is bound to all addresses, but never host names', async () => {
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

  test('passes text through as text, including a byte order mark', async () => {
    const body = await post(Buffer.from('\ufeff{"é":"\u0000"}'));
    expect(body).toMatchObject({ body: '\ufeff{"é":"\u0000"}', isBase64Encoded: false });
  });

  test('bytes that are not valid UTF-8 are passed as base64', async () => {
    const bytes = Buffer.from([0x7b, 0xff, 0xfe, 0xed, 0xa0, 0x80, 0x00]);
    expect(await post(bytes)).toMatchObject({ body: bytes.toString('base64'), isBase64Encoded: true });
  });

  test('a body exactly at the size limit', async () => {
    expect((await post(Buffer.alloc(maxBodyBytes, 'x'))).body).toHaveLength(maxBodyBytes);
  });

  test('[http.expectation] a request with `100 Continue` is accepted; any other expectation is a typed 417', async () => {
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

  test('[http.expectation] only chunked encoding is read; any additional coding is refused before its bytes are read', async () => {
    const sent = (coding: string) =>
      raw([
        head('POST /things', 'Host: localhost', `Transfer-Encoding: ${coding}`, 'Connection: close'),
        '2\r\nab\r\n0\r\n\r\n',
      ]);
    expect((await sent('CHUNKED')).body.body).toBe('ab');
    for (const coding of ['gzip, chunked', 'deflate,chunked', 'identity, chunked', 'chunked, chunked']) {
      const { status, body } = await sent(coding);
      expect([coding, status, body.error.type]).toEqual([coding, 400, 'invalid_request']);
    }
  });

  test('hundreds of headers without dropping any', async () => {
    const { body } = await get('/things', ...Array.from({ length: 1100 }, (_, at) => `a:${at % 10}`));
    expect(body.multiValueHeaders.a).toHaveLength(1100);
  });
});
test('draining lets running requests finish and accepts no new ones', async () => {
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
test('a port that is already in use is reported clearly', async () => {
  await expect(serverOf({ port: server.port })).rejects.toThrow(/in use.*another port/);
});
test.each([
  ['a foreign Host', ['Host: evil.example', 'Upgrade: websocket'], 403],
  ['no Host', ['Accept: */*', 'Upgrade: websocket'], 400],
  ['another protocol, which is passed over', ['Host: localhost', 'Upgrade: h2c'], 200],
])('an upgrade with %s does not reach the upgrade handler', async (_, headers, status) => {
  const upgrade = jest.fn();
  const open = await serverOf({ upgrade });
  const answer = await raw(head('GET /things', 'Connection: Upgrade', ...headers), open.port);
  expect([answer.status, upgrade.mock.calls]).toEqual([status, []]);
  await open.drain(0);
});

/** Collects everything the server sends until it closes the connection. */
async function collected(socket: Socket): Promise<string> {
  let text = '';
  socket.on('error', () => {});
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await once(socket, 'close');
  return text;
}
