/** The official clients with `dangerouslyAllowBrowser`, behind a fetch that keeps a browser's rules of origins. */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { agentKey, type ChatGateway, startChatGateway } from '../support/chat-clients.ts';

const page = 'https://app.example';
let gateway: ChatGateway;
beforeAll(async () => {
  gateway = await startChatGateway(`
providers: [{ name: mock, type: mock, models: ["mock", "mock-embedding"] }]
policies:
  input: [{ name: no-secret, type: keyword, action: block, keywords: ["project bluebird"] }]
server: { cors: { allowed_origins: ["${page}"] } }
`);
});
afterAll(() => gateway?.stop());

/** Headers that a page may send without asking. */
const unasked = new Set(['accept', 'accept-language', 'content-language']);
/** Headers that a page may read without a word of the server. */
const readable = new Set(['cache-control', 'content-language', 'content-type', 'expires', 'last-modified', 'pragma']);
/** Headers that a browser sets itself, whatever a page asks for. */
const forbidden = new Set(['host', 'user-agent', 'content-length', 'connection', 'origin']);

/** Every call is preceded by its preflight; what the server does not allow or expose is lost, as in a browser. */
const browser =
  (origin: string, preflights: string[] = []): typeof fetch =>
  async (input, init = {}) => {
    const url = String(input);
    const method = init.method ?? 'GET';
    const headers = new Headers(init.headers);
    for (const name of forbidden) headers.delete(name);
    const names = [...headers.keys()].filter((name) => !unasked.has(name)).sort();
    const asked = await fetch(url, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': names.join(',') },
    });
    preflights.push(`${method} ${new URL(url).pathname} ${asked.status}`);
    const listed = (name: string) => (asked.headers.get(name) ?? '').toLowerCase().split(', ');
    const passes =
      asked.ok &&
      asked.headers.get('access-control-allow-origin') === origin &&
      (method === 'GET' ||
        method === 'POST' ||
        listed('access-control-allow-methods').includes(method.toLowerCase())) &&
      names.every((name) => listed('access-control-allow-headers').includes(name));
    if (!passes) throw new TypeError('Failed to fetch');
    headers.set('origin', origin);
    const answer = await fetch(url, { ...init, headers });
    if (answer.headers.get('access-control-allow-origin') !== origin) throw new TypeError('Failed to fetch');
    const exposed = (answer.headers.get('access-control-expose-headers') ?? '').toLowerCase().split(', ');
    const shown = [...answer.headers].filter(([name]) => readable.has(name) || exposed.includes(name));
    return new Response(answer.body, { status: answer.status, headers: shown });
  };

const clients = (origin: string, preflights?: string[]) => {
  const common = { apiKey: agentKey, maxRetries: 0, dangerouslyAllowBrowser: true, fetch: browser(origin, preflights) };
  const { gateway_url } = gateway.ready;
  return {
    openai: new OpenAI({ ...common, baseURL: `${gateway_url}/v1` }),
    anthropic: new Anthropic({ ...common, baseURL: gateway_url }),
  };
};
const user = (content: string) => [{ role: 'user' as const, content }];

describe('[clients.browser] on a page of an origin that is listed', () => {
  test('both clients answer, whole and streamed, at each of their endpoints', async () => {
    const preflights: string[] = [];
    const { openai, anthropic } = clients(page, preflights);
    const chat = await openai.chat.completions.create({ model: 'mock', messages: user('hello') });
    expect(chat.choices[0]!.message.content).toBe('Mock reply to: hello');
    expect((await openai.chat.completions.stream({ model: 'mock', messages: user('hello') }).finalContent())!).toBe(
      'Mock reply to: hello',
    );
    expect((await openai.responses.create({ model: 'mock', input: 'hello' })).output_text).toBe('Mock reply to: hello');
    expect((await openai.embeddings.create({ model: 'mock-embedding', input: 'hello' })).data).toHaveLength(1);
    expect((await openai.models.list()).data.map(({ id }) => id)).toContain('mock');
    const asked = { model: 'mock', max_tokens: 50, messages: user('hello') };
    expect((await anthropic.messages.create(asked)).content).toMatchObject([{ text: 'Mock reply to: hello' }]);
    expect(await anthropic.messages.stream(asked).finalText()).toBe('Mock reply to: hello');
    expect(
      (await anthropic.messages.countTokens({ model: 'mock', messages: user('hello') })).input_tokens,
    ).toBeGreaterThan(0);
    expect(new Set(preflights.map((line) => line.split(' ').at(-1)))).toEqual(new Set(['204']));
    expect(preflights).toHaveLength(8);
  });

  test('a refusal is an error that the page may read, with its request id', async () => {
    const { openai, anthropic } = clients(page);
    const ours = openai.chat.completions.create({ model: 'mock', messages: user('project bluebird') });
    await expect(ours).rejects.toMatchObject({ status: 403, type: 'policy_violation', requestID: expect.any(String) });
    const theirs = anthropic.messages.create({ model: 'mock', max_tokens: 50, messages: user('project bluebird') });
    await expect(theirs).rejects.toMatchObject({
      status: 403,
      type: 'permission_error',
      requestID: expect.any(String),
    });
  });
});

test('[clients.browser] on any other page the browser lets neither client call', async () => {
  const preflights: string[] = [];
  const { openai, anthropic } = clients('https://evil.example', preflights);
  await expect(openai.chat.completions.create({ model: 'mock', messages: user('hello') })).rejects.toBeInstanceOf(
    OpenAI.APIConnectionError,
  );
  const theirs = anthropic.messages.create({ model: 'mock', max_tokens: 50, messages: user('hello') });
  await expect(theirs).rejects.toBeInstanceOf(Anthropic.APIConnectionError);
  expect(preflights).toEqual(['POST /v1/chat/completions 403', 'POST /v1/messages 403']);
});
