/**
 * Client libraries used instead of the vendors' own, each as a program against the local run and a scripted provider.
 * The Python libraries, including LangChain, are in test/python.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { agentKey, type ChatGateway, providerYaml, startChatGateway } from '../support/chat-clients.ts';
import { type FakeProvider, type RecordedRequest, say, startFakeProvider } from '../support/fake-providers.ts';
import type { Loose } from '../support/loose.ts';
import { node } from '../support/mcp-servers.ts';

const clients = ['ai-sdk', 'openai-agents'] as const;
let fake: FakeProvider;
let gateway: ChatGateway;

/** Returns the model's reply: the weather once it has the tool result, JSON if requested, otherwise a greeting. */
function answerTo({ body }: RecordedRequest) {
  const messages = body.messages as Loose[];
  const words = JSON.stringify(messages);
  const results = messages.filter(({ role }) => role === 'tool');
  const [result] = results;
  if (result) return say(`It is ${typeof result.content === 'string' ? result.content : result.content[0].text}.`);
  if (words.includes('weather in Oslo'))
    return say('', { toolCalls: [{ id: 'call_1', name: 'weather', input: { city: 'Oslo' } }] });
  if (words.includes('as json')) return say('{"city":"Oslo"}');
  return say(['Hello ', 'from ', 'the model.'], { inputTokens: 21, outputTokens: 9 });
}

beforeAll(async () => {
  fake = await startFakeProvider({ kind: 'openai', script: answerTo });
  gateway = await startChatGateway(`
providers:
${providerYaml('fake', 'openai', fake.baseUrl, ', models: [gpt-client]')}
  - { name: mock, type: mock, models: [mock-embedding] }
policies:
  input: [{ name: no-secret, type: keyword, action: block, keywords: ["project bluebird"] }]
messages: { tool_use: govern }
cache: { enabled: false }
tool_policies: { pack: null, default_decision: block, rules: [{ protocol: mcp, tool: weather, decision: allow }] }
`);
});
afterAll(async () => {
  await fake?.stop();
  await gateway?.stop();
});

describe.each(clients)('[clients.libraries] %s', (client) => {
  let results: Loose;
  beforeAll(async () => {
    const file = join(__dirname, `clients/${client}.ts`);
    // Only the gateway's key and address are available: a client that calls its vendor fails.
    const env = { PATH: process.env.PATH, GATEWAY_URL: gateway.ready.gateway_url, GATEWAY_KEY: agentKey };
    const { stdout } = await promisify(execFile)(node, [file], { env, timeout: 120_000 });
    results = JSON.parse(stdout);
  });

  test('gets text from both chat completions and responses', () => {
    const { text, chat } = results;
    expect(typeof text === 'string' ? text : text.text).toBe('Hello from the model.');
    expect(chat).toBe('Hello from the model.');
    if (typeof text !== 'string') expect(text.usage).toEqual({ input: 21, output: 9 });
  });

  test('gets a stream piece by piece', () => {
    expect(results.stream.length).toBeGreaterThan(1);
    expect(results.stream.join('')).toBe('Hello from the model.');
  });

  test('calls a tool and passes its result back to the model', () => {
    expect(results.tool).toEqual({ text: 'It is sunny in Oslo.', results: ['sunny in Oslo'] });
  });

  test('gets structured output', () => {
    expect(results.structured).toEqual({ city: 'Oslo' });
  });

  test("throws the gateway's refusal, with status and reason", () => {
    expect(results.blocked.error).toMatchObject({
      status: 403,
      message: expect.stringMatching(/blocked by policy no-secret/),
    });
  });
});

test('[clients.libraries] the AI SDK returns embeddings as vectors', async () => {
  const records = (await gateway.admin<{ requests: Loose[] }>('requests?limit=100')).body.requests;
  const embedded = records.filter(({ model }) => model === 'mock-embedding');
  expect(embedded.map(({ outcome }) => outcome)).toEqual(['completed']);
});
