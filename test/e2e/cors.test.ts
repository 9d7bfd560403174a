/** Browser pages against a running gateway: preflights, responses, refusals and streams. */
import { agentKey, type ChatGateway, startChatGateway } from '../support/chat-clients.ts';
import { ask } from './client.ts';

const page = 'https://app.example';
const providers = 'providers: [{ name: mock, type: mock, models: [mock] }]\n';
const cors = (origins: string) => `server: { cors: { allowed_origins: [${origins}] } }\n`;

let listing: ChatGateway;
let open: ChatGateway;
let off: ChatGateway;

beforeAll(async () => {
  [listing, open, off] = await Promise.all([
    startChatGateway(providers + cors(`"${page}", "http://localhost:5173"`)),
    startChatGateway(providers + cors('"*"')),
    startChatGateway(providers),
  ]);
});
afterAll(() => Promise.all([listing, open, off].map((gateway) => gateway?.stop())), 40_000);

/** Paths that a page may call, and their methods. */
const paths = [
  ['gateway_url', '/v1/chat/completions', 'POST'],
  ['gateway_url', '/v1/messages', 'POST'],
  ['gateway_url', '/v1/messages/count_tokens', 'POST'],
  ['gateway_url', '/v1/models', 'GET'],
  ['gateway_url', '/health', 'GET'],
  ['mcp_url', '/mcp', 'POST, GET, DELETE'],
  ['mcp_url', '/sse', 'GET'],
  ['mcp_url', '/mcp/session/s-1', 'POST'],
  ['mcp_url', '/.well-known/oauth-protected-resource', 'GET'],
] as const;

const asked = 'content-type, mcp-protocol-version, mcp-session-id, x-api-key, x-stainless-os';

const preflight = (url: string, path: string, headers: Record<string, string> = {}) =>
  ask(url, 'OPTIONS', path, {
    headers: {
      origin: page,
      'access-control-request-method': 'POST',
      'access-control-request-headers': asked,
      ...headers,
    },
  });

const corsOf = (headers: Headers): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));

const exposed = (headers: Headers): string[] => (headers.get('access-control-expose-headers') ?? '').split(', ');

const question = { model: 'mock', max_tokens: 50, messages: [{ role: 'user', content: 'hello' }] };
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'page', version: '1' } },
};

describe('[cors.headers] a preflight', () => {
  test.each(paths)('lists the allowed requests at %s %s for a configured origin', async (surface, path, methods) => {
    const { status, text, headers } = await preflight(listing.ready[surface], path);
    expect([status, text]).toEqual([204, '']);
    expect(corsOf(headers)).toEqual({
      'access-control-allow-origin': page,
      'access-control-allow-methods': methods,
      'access-control-allow-headers': asked,
      'access-control-max-age': '600',
    });
    expect([headers.get('vary'), headers.get('allow')]).toEqual(['Origin', `${methods}, OPTIONS`]);
  });

  test.each(['https://evil.example', 'http://app.example', 'https://app.example:444', 'null'])(
    'returns 403 without CORS headers for %s, which is not an allowed origin',
    async (origin) => {
      for (const [surface, path] of paths) {
        const { status, headers, text } = await preflight(listing.ready[surface], path, { origin });
        expect([status, corsOf(headers)]).toEqual([403, {}]);
        expect(text).toContain('server.cors.allowed_origins');
      }
    },
  );

  test('OPTIONS without an origin returns 204 with the allowed methods', async () => {
    const { status, headers } = await ask(listing.ready.gateway_url, 'OPTIONS', '/v1/models');
    expect([status, headers.get('allow'), corsOf(headers)]).toEqual([204, 'GET, OPTIONS', {}]);
  });

  test('allows any origin if all are allowed, but never credentials', async () => {
    const { status, headers } = await preflight(open.ready.mcp_url, '/mcp', { origin: 'https://any.example' });
    expect([status, headers.get('vary')]).toEqual([204, null]);
    expect(corsOf(headers)).toMatchObject({ 'access-control-allow-origin': '*' });
    expect(headers.has('access-control-allow-credentials')).toBe(false);
  });

  test('refuses an invalid header name in the requested headers', async () => {
    const { status, text } = await preflight(listing.ready.gateway_url, '/v1/models', {
      'access-control-request-headers': 'x-api-key, a header',
    });
    expect([status, text]).toEqual([400, expect.stringContaining('separated by commas')]);
  });

  test('[cors.headers] returns 405 if no origins are allowed, and on surfaces not meant for browsers', async () => {
    for (const [surface, path, methods] of paths) {
      const { status, headers, text } = await preflight(off.ready[surface], path);
      expect([status, headers.get('allow'), corsOf(headers)]).toEqual([405, methods.replace('GET', 'GET, HEAD'), {}]);
      expect(text).toContain('method_not_allowed');
    }
    const admin = await preflight(listing.ready.admin_url, '/admin/v1/approvals');
    expect([admin.status, corsOf(admin.headers)]).toEqual([405, {}]);
  });

  test('returns 404 at a path that does not exist', async () => {
    expect((await preflight(listing.ready.gateway_url, '/v1/nothing')).status).toBe(404);
  });
});

describe('[cors.headers] an answer', () => {
  const post = (gateway: ChatGateway, origin: string, given: object = {}, key: string | undefined = agentKey) =>
    ask(gateway.ready.gateway_url, 'POST', '/v1/chat/completions', {
      key,
      body: { ...question, ...given },
      headers: { origin },
    });

  test('can be read by an allowed origin for calls, streams and refusals, including its headers', async () => {
    const said = [await post(listing, page), await post(listing, page, { stream: true })];
    const refused = await ask(listing.ready.gateway_url, 'POST', '/v1/messages', {
      body: question,
      headers: { origin: page },
    });
    expect([...said, refused].map(({ status }) => status)).toEqual([200, 200, 401]);
    for (const { headers } of [...said, refused]) {
      expect([headers.get('access-control-allow-origin'), headers.get('vary')]).toEqual([page, 'Origin']);
      expect(exposed(headers)).toEqual(expect.arrayContaining(['x-request-id', 'content-type']));
    }
    expect(said[1]!.text).toContain('data: [DONE]');
    expect(exposed(refused.headers)).toContain('www-authenticate');
  });

  test('has no CORS headers for another origin or without an origin', async () => {
    const other = await post(listing, 'https://evil.example');
    const none = await listing.post('/v1/chat/completions', { body: question });
    for (const { headers } of [other, none]) expect([corsOf(headers), headers.get('vary')]).toEqual([{}, 'Origin']);
  });

  test('[cors.headers] has no CORS headers if no origins are allowed', async () => {
    const { status, headers } = await post(off, page);
    expect([status, corsOf(headers), headers.get('vary')]).toEqual([200, {}, null]);
  });

  test('lets a page read its MCP session id; another origin gets 403', async () => {
    const begin = (origin: string) =>
      ask(listing.ready.mcp_url, 'POST', '/mcp', {
        key: agentKey,
        body: initialize,
        headers: { origin, accept: 'application/json, text/event-stream' },
      });
    const { status, headers } = await begin(page);
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, page]);
    expect(headers.get('mcp-session-id')).toBeTruthy();
    expect(exposed(headers)).toContain('mcp-session-id');
    const other = await begin('https://evil.example');
    expect([other.status, corsOf(other.headers)]).toEqual([403, {}]);
  });

  test('needs no key for health and MCP metadata, and can be read by allowed origins', async () => {
    for (const [path, expected] of [
      ['/health', 200],
      ['/.well-known/oauth-protected-resource', 404], // no issuer
    ] as const) {
      const { status, headers } = await ask(listing.ready.mcp_url, 'GET', path, { headers: { origin: page } });
      expect([status, headers.get('access-control-allow-origin')]).toEqual([expected, page]);
    }
  });
});
