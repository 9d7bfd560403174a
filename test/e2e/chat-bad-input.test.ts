/** Bad input at the chat handlers: a typed error in the caller's dialect, nothing reserved, evidence where it is due. */
import { request } from 'node:http';
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

/** The type in the words of Anthropic's clients. */
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
  ['no body', raw(''), bad, /model is missing/],
  ['an array', raw('[]'), bad, /array.*object/],
  ['null', raw('null'), bad, /null.*object/],
  ['a text', raw('"mock"'), bad, /string.*object/],
  ['no model', with_({ model: undefined }), bad, /model is missing/],
  ['a number as model', with_({ model: 7 }), bad, /model is 7/],
  ['an empty model', with_({ model: '' }), bad, /model is an empty text/],
  ['a model of 300 characters', with_({ model: 'm'.repeat(300) }), bad, /model is a text of 300 characters/],
  ['no messages', with_({ messages: undefined }), bad, /messages is missing/],
  ['a text as messages', with_({ messages: 'hello' }), bad, /messages is a text/],
  ['no message', with_({ messages: [] }), bad, /messages is an empty array/],
  ['a text as message', with_({ messages: ['hello'] }), bad, /messages\[0\] is a text/],
  ['null as message', with_({ messages: [null] }), bad, /messages\[0\] is null/],
  ['a message without role', with_({ messages: [{ content: 'x' }] }), bad, /messages\[0\]\.role is missing/],
  ['a message without content', with_({ messages: [{ role: 'user' }] }), bad, /content is missing/],
  ['a number as content', said(7), bad, /content is 7/],
  ['no part', said([]), bad, /content is an empty array/],
  ['a part without type', said([{ text: 'x' }]), bad, /content\[0\]\.type is missing/],
  ['a text part without text', said([{ type: 'text', text: 1 }]), bad, /content\[0\]\.text is 1/],
  ['a text as stream', with_({ stream: 'yes' }), bad, /stream is a text/],
  ['negative max_tokens', with_({ max_tokens: -1 }), bad, /max_tokens is -1/],
  ['max_tokens of 0', with_({ max_tokens: 0 }), bad, /max_tokens is 0/],
  ['half a token', with_({ max_tokens: 1.5 }), bad, /max_tokens is 1.5/],
  ['a text as max_tokens', with_({ max_tokens: '50' }), bad, /max_tokens is a text/],
  ['more tokens than there are numbers', raw(text.replace('50', '1e300')), bad, /max_tokens is 1e\+300/],
  ['NaN', raw(text.replace('50', 'NaN')), bad, /JSON/],
  ['a number beyond a double', raw(text.replace('50', '1e999')), bad, /range/],
  ['a text as temperature', with_({ temperature: 'hot' }), bad, /temperature is a text/],
  ['tools that are no list', with_({ tools: {} }), bad, /tools is an object/],
  ['nesting of 65 levels', nested(65), bad, /64 levels/],
  ['nesting of 9,000 levels', nested(9_000), bad, /64 levels|JSON/],
  ['a key twice', raw(text.replace('{', '{"model":"mock",')), bad, /"model" twice/],
  ['a lone surrogate', raw(text.replace('hello', '\\ud800')), bad, /surrogate/],
  [
    'malformed UTF-8',
    raw(new Uint8Array([...Buffer.from('{"model":"'), 0xff, 0xfe, ...Buffer.from('"}')])),
    bad,
    /UTF-8/,
  ],
  ['another content type', of('text/plain'), [415, 'unsupported_media_type'], /text\/plain.*application\/json/],
  ['a form', of('application/x-www-form-urlencoded'), [415, 'unsupported_media_type'], /application\/json/],
  ['a model of nobody', with_({ model: 'nobody' }), [404, 'model_not_found'], /nobody/],
  ['no key', { ...with_({}), key: undefined }, [401, 'authentication_error'], /key/i],
  ['an unknown key', { ...with_({}), key: 'unknown' }, [401, 'authentication_error'], /key/i],
  ['a session with a slash', { ...with_({}), headers: { 'x-session-id': 'a/b' } }, bad, /session/i],
  [
    'a body of one byte too much',
    said('x'.repeat(maxBytes.tenant - text.length + 6)),
    [413, 'payload_too_large'],
    /20001/,
  ],
];

describe.each(paths)('[error.bad-input] POST %s', (path) => {
  test.each(rows)('%s', async (_name, given, expected, says) => {
    const before = await used();
    const answer = await gateway.post(path, given);
    expectError(path, answer, expected);
    expect((answer.body.error as Fields).message).toMatch(says);
    expect(answer.text).not.toContain('hello');
    expect(await used()).toEqual(before);
  });

  test('[limit.actual-body] a body of just as many bytes as are taken', async () => {
    const answer = await gateway.post(path, said('x'.repeat(maxBytes.tenant - text.length + 5)));
    expect(answer.status).toBe(200);
  });

  test.each(Object.entries(maxBytes))(
    '[limit.actual-body] more bytes than the %s takes, without a length',
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

  test('[auth.never-query] a key in the query is not a key, and is not repeated', async () => {
    for (const name of ['api_key', 'key', 'x-api-key', 'access_token']) {
      const answer = await gateway.post(`${path}?${name}=${agentKey}` as Path, { ...with_({}), key: undefined });
      expect([400, 401]).toContain(answer.status);
      expect(answer.text).not.toContain(agentKey);
    }
  });

  test('headers that contradict each other', async () => {
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

  test('a model the tenant may not use is refused, and that is evidence', async () => {
    const session = `narrow-${path.length}`;
    const answer = await gateway.post(path, { ...with_({}), key: 'narrow-key', headers: { 'x-session-id': session } });
    expectError(path, answer, [403, 'model_not_allowed']);
    expect(await gateway.records(session, 'narrow')).toMatchObject([
      { decision: 'block', outcome: 'refused', status: 403, matched_rule: 'model:mock', cost_microusd: 0 },
    ]);
    expect(await gateway.open('narrow')).toBe(0);
  });
});

test('the listener’s own refusals are in the dialect of the endpoint', async () => {
  const answer = await gateway.post('/v1/messages', said('x'.repeat(maxBytes.server)));
  expectError('/v1/messages', answer, [413, 'payload_too_large']);
});

test('after all of it, what is asked well is answered', async () => {
  expect((await gateway.say('mock', 'well asked')).status).toBe(200);
  expect(await gateway.open()).toBe(0);
});

/** What the tenant has left, and what is held. */
async function used(): Promise<Fields> {
  const { body } = await gateway.admin<{ rate_limit: Fields; open_reservations: number }>('budgets');
  const { remaining_requests, remaining_tokens } = body.rate_limit;
  return { remaining_requests, remaining_tokens, open: body.open_reservations };
}

/** A body in chunks, its length unsaid, and headers as given. */
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
