/**
 * Bad input at the chat endpoints: a typed error in the caller's dialect, no reservation, and evidence where required.
 */
import { request } from 'node:http';
import { connect } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { agentKey, type ChatGateway, startChatGateway } from '../support/chat-clients.ts';
import type { Answer, Ask, Fields } from './client.ts';

const maxBytes = { server: 60_000, tenant: 20_000 };

let gateway: ChatGateway;

beforeAll(async () => {
  gateway = await startChatGateway(`
    rate_limit: { requests_per_minute: 1000, tokens_per_minute: 100000 }
    max_body_bytes: ${maxBytes.tenant}
  - id: narrow
    api_keys: [{ key: narrow-key, name: narrow }]
    allowed_models: ["other-*"]
  - id: open
    api_keys: [{ key: open-key, name: open }]
server: { max_body_bytes: ${maxBytes.server} }
providers: [{ name: mock, type: mock, models: [mock, "mock-*"] }]
`);
});
afterAll(() => gateway?.stop(), 30_000);

const paths = ['/v1/chat/completions', '/v1/messages'] as const;
type Path = (typeof paths)[number];
const good = { model: 'mock', max_tokens: 50, messages: [{ role: 'user', content: 'hello' }] };
const with_ = (change: Fields): Ask => ({ body: { ...good, ...change } });
const said = (content: unknown): Ask => with_({ messages: [{ role: 'user', content }] });
const raw = (text: string | Uint8Array<ArrayBuffer>): Ask => ({ raw: text });
const text = JSON.stringify(good);
const nested = (depth: number) => raw(text.replace('{', `{"x":${'['.repeat(depth)}${']'.repeat(depth)},`));
const of = (type: string): Ask => ({ raw: text, headers: { 'content-type': type } });

/** Error types, keyed by the name that Anthropic clients use. */
const theirs: Record<string, string> = {
  authentication_error: 'authentication_error',
  model_not_found: 'not_found_error',
  model_not_allowed: 'permission_error',
  payload_too_large: 'request_too_large',
};

function expectError(path: Path, { status, headers, body }: Answer<Fields>, expected: readonly [number, string]) {
  const [code, type] = expected;
  const error = body.error as Fields;
  expect({ status, type: path === paths[0] ? error?.type : error?.code, body }).toMatchObject({ status: code, type });
  if (path === paths[0]) expect(body).toMatchObject({ error: { code, type, message: expect.any(String) } });
  else expect(body).toMatchObject({ type: 'error', error: { type: theirs[type] ?? 'invalid_request_error' } });
  expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(headers.get('content-type')).toBe('application/json');
}

const bad = [400, 'invalid_request'] as const;
const rows: readonly (readonly [name: string, given: Ask, expected: readonly [number, string], says: RegExp])[] = [
  ['invalid JSON', raw('{"model": "mock",'), bad, /JSON/],
  ['an array', raw('[]'), bad, /array.*object/],
  ['a number as model', with_({ model: 7 }), bad, /model is 7/],
  ['a text part without text', said([{ type: 'text', text: 1 }]), bad, /content\[0\]\.text is 1/],
  ['a number beyond a double', raw(text.replace('50', '1e999')), bad, /range/],
  ['nesting of 9,000 levels', nested(9_000), bad, /64 levels|JSON/],
  ['a key twice', raw(text.replace('{', '{"model":"mock",')), bad, /"model" twice/],
  ['malformed UTF-8', raw(new Uint8Array([0x7b, 0xff, 0xfe, 0x7d])), bad, /UTF-8/],
  ['a form', of('application/x-www-form-urlencoded'), [415, 'unsupported_media_type'], /application\/json/],
  ['another charset', of('application/json; charset=latin1'), [415, 'unsupported_media_type'], /"latin1".*utf-8/],
  ['a model of nobody', with_({ model: 'nobody' }), [404, 'model_not_found'], /nobody/],
  ['no key', { ...with_({}), key: undefined }, [401, 'authentication_error'], /key/i],
  ['an unknown key', { ...with_({}), key: 'unknown' }, [401, 'authentication_error'], /key/i],
  ['a session with a slash', { ...with_({}), headers: { 'x-session-id': 'a/b' } }, bad, /session/i],
  ['one byte too much', said('x'.repeat(maxBytes.tenant - text.length + 6)), [413, 'payload_too_large'], /20001/],
];

describe.each(paths)('[error.plain-words] POST %s', (path) => {
  test.each(rows)('%s', async (_name, given, expected, says) => {
    const before = await used();
    const answer = await gateway.post(path, given);
    expectError(path, answer, expected);
    expect((answer.body.error as Fields).message).toMatch(says);
    expect(answer.text).not.toContain('hello');
    expect(await used()).toEqual(before);
  });

  test('[limit.rate] accepts a body of exactly the maximum size', async () => {
    const answer = await gateway.post(path, said('x'.repeat(maxBytes.tenant - text.length + 5)));
    expect(answer.status).toBe(200);
  });

  test.each(Object.entries(maxBytes))(
    '[limit.rate] returns 413 for a body of undeclared length that exceeds the %s limit',
    async (whose, size) => {
      const answer = await chunked(
        path,
        whose === 'tenant' ? agentKey : 'open-key',
        JSON.stringify({ ...good, x: 'x'.repeat(size) }),
      );
      expect(answer).toMatchObject({ status: 413, id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
      expect(JSON.parse(answer.text).error).toMatchObject({ message: expect.stringContaining('bytes') });
    },
  );

  test('[auth.header] a key in the query is rejected and not echoed', async () => {
    for (const name of ['api_key', 'key', 'x-api-key', 'access_token']) {
      const answer = await gateway.post(`${path}?${name}=${agentKey}` as Path, { ...with_({}), key: undefined });
      expect([400, 401]).toContain(answer.status);
      expect(answer.text).not.toContain(agentKey);
    }
  });

  test('rejects duplicate or contradictory headers', async () => {
    for (const twice of [
      { 'x-api-key': [agentKey, 'other'] },
      { 'x-session-id': ['a', 'b'] },
      { 'content-type': ['application/json', 'text/plain'] },
    ]) {
      const answer = await chunked(path, agentKey, text, twice);
      expect([400, 401]).toContain(answer.status);
      expect(JSON.parse(answer.text).error.message).toMatch(/more than once|x-api-key|one/i);
    }
  });
});

test('errors from the listener itself use the dialect of the endpoint', async () => {
  const answer = await gateway.post('/v1/messages', said('x'.repeat(maxBytes.server)));
  expectError('/v1/messages', answer, [413, 'payload_too_large']);
});

test('an HTTP/1.0 client gets its response, and then the connection is closed', async () => {
  const { hostname, port } = new URL(gateway.ready.gateway_url);
  const sent = JSON.stringify({ model: 'mock', messages: [{ role: 'user', content: 'hi' }] });
  const socket = connect(Number(port), hostname);
  const head = `Host: ${hostname}:${port}\r\nX-API-Key: ${agentKey}\r\nContent-Type: application/json\r\nContent-Length: ${sent.length}`;
  socket.write(`POST /v1/chat/completions HTTP/1.0\r\n${head}\r\n\r\n${sent}`);
  const answer = await textOf(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(answer).toMatch(/"content":"Mock reply to: hi"/);
  expect(answer).not.toMatch(/transfer-encoding: chunked/i);
});

test('a valid request still gets a response afterwards', async () => {
  expect((await gateway.say('mock', 'well asked')).status).toBe(200);
  expect(await gateway.open()).toBe(0);
});

/** Returns the tenant's remaining amounts and its open reservations. */
async function used(): Promise<Fields> {
  const { body } = await gateway.admin<{ rate_limit: Fields; open_reservations: number }>('budgets');
  const { remaining_requests, remaining_tokens } = body.rate_limit;
  return { remaining_requests, remaining_tokens, open: body.open_reservations };
}

/** Sends a body in chunks, without a length, and with the given headers. */
function chunked(path: string, key: string, body: string, more: Record<string, string | string[]> = {}) {
  const { hostname, port } = new URL(gateway.ready.gateway_url);
  const headers = { 'content-type': 'application/json', 'x-api-key': key, 'transfer-encoding': 'chunked', ...more };
  return new Promise<{ status: number; text: string; id: string }>((resolve, reject) => {
    const sent = request({ hostname, port, path, method: 'POST', headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text, id: String(response.headers['x-request-id']) }),
      );
    });
    sent.on('error', reject);
    for (let at = 0; at < body.length; at += 8_000) sent.write(body.slice(at, at + 8_000));
    sent.end();
  });
}
