/** Odd requests through the AI SDK, LangChain and the OpenAI Agents SDK, over providers of both forms: what the caller gets, and what reached the model. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { agentKey, type ChatGateway, providerYaml, startChatGateway } from '../support/chat-clients.ts';
import { type FakeProvider, startFakeProvider } from '../support/fake-providers.ts';
import type { Loose } from '../support/loose.ts';
import { node } from '../support/mcp-servers.ts';
import { type Kind, kinds, modelOf, nameOf } from '../support/odd-model.ts';

const programMs = 240_000;
let hosts: Record<Kind, FakeProvider>;
let gateway: ChatGateway;
let results: Record<string, Loose>;

beforeAll(async () => {
  const host = (kind: Kind) => startFakeProvider({ kind, script: modelOf(kind) });
  hosts = { openai: await host('openai'), anthropic: await host('anthropic') };
  const patient = 'breaker: { min_requests: 100000 }';
  gateway = await startChatGateway(`
providers:
${providerYaml('openai', 'openai', hosts.openai.baseUrl, `, models: ["gpt-*"], ${patient}`)}
${providerYaml('anthropic', 'anthropic', hosts.anthropic.baseUrl, `, models: ["claude-*"], ${patient}`)}
cache: { enabled: false }
messages: { tool_use: govern }
tool_policies: { pack: null, default_decision: block, rules: [{ protocol: mcp, tool: "{weather,picture}", decision: allow }] }
`);
  const env = { PATH: process.env.PATH, GATEWAY_URL: gateway.ready.gateway_url, GATEWAY_KEY: agentKey };
  const program = join(__dirname, '../support/clients/odd-inputs.ts');
  const options = { env, timeout: programMs, maxBuffer: 64 * 1024 * 1024 };
  results = JSON.parse((await promisify(execFile)(node, [program], options)).stdout);
}, programMs);
afterAll(async () => {
  for (const kind of kinds) await hosts?.[kind].stop();
  await gateway?.stop();
});

const libraries = ['ai sdk responses', 'ai sdk chat', 'langchain', 'agents responses', 'agents chat'] as const;
const ways = libraries.flatMap((library) => kinds.map((kind) => [library, kind] as const));

describe.each(ways)('[clients.odd-inputs] %s over %s', (library, kind) => {
  const outcome = (of: string) => results[`${library} ${kind} ${of}`];
  const asked = (of: string) =>
    hosts[kind].requests.filter((request) => nameOf(request) === `${library} ${kind} ${of}`);
  const last = (of: string): Loose => asked(of).at(-1)!.body;

  test('an image and a long system prompt reach the model', () => {
    expect(outcome('image')).toBe('Hello');
    const words = JSON.stringify(last('image'));
    expect(words).toContain('iVBORw0KGgo');
    expect(words).toContain('All work and no play. '.repeat(4000));
  });

  if (!library.startsWith('agents'))
    test('empty turns are not a fault', () => {
      expect(outcome('empty')).toBe('Hello');
      expect(JSON.stringify(last('empty').messages[0])).toContain('case ');
    });

  test('two tool calls of one turn and their results go back together', () => {
    expect(outcome('parallel tools')).toEqual({ text: 'Hello', calls: 2 });
    const words = JSON.stringify(last('parallel tools').messages);
    for (const text of ['sunny in Oslo', 'sunny in Bergen']) expect(words).toContain(text);
  });

  test('[responses.result-pictures] a picture that a tool gives back is where the model reads it', () => {
    expect(outcome('picture tool')).toBe('Hello');
    const { messages } = last('picture tool') as { messages: Loose[] };
    // The chat models of the AI SDK and of the Agents SDK make a text of it themselves, or leave it out.
    if (library.endsWith('chat')) return;
    if (kind === 'anthropic') {
      const [result] = messages.at(-1)!.content;
      expect(result).toMatchObject({
        type: 'tool_result',
        content: expect.arrayContaining([expect.objectContaining({ type: 'image' })]),
      });
    } else if (library !== 'langchain') {
      // LangChain's own tool message passes as it was sent.
      expect(messages.slice(-2).map(({ role }) => role)).toEqual(['tool', 'user']);
      expect(JSON.stringify(messages.at(-2))).not.toContain('image_url');
      expect(messages.at(-1)!.content).toEqual([expect.objectContaining({ type: 'image_url' })]);
    }
  });

  test('settings arrive under the names of the provider', () => {
    expect(outcome('settings')).toBe('Hello');
    const { temperature, top_p, max_tokens, max_completion_tokens, stop, stop_sequences, user, metadata } =
      last('settings');
    expect([temperature, top_p, max_tokens ?? max_completion_tokens]).toEqual([0.2, 0.9, 50]);
    if (library.startsWith('agents')) return;
    expect(kind === 'openai' ? user : metadata?.user_id).toBe('ann');
    // Responses have no stop sequences: the AI SDK warns of them.
    if (library !== 'ai sdk responses') expect(kind === 'openai' ? stop : stop_sequences).toEqual(['END']);
  });

  test('an answer by a schema is parsed, and the model was given the schema', () => {
    expect(outcome('as json')).toEqual({ city: 'Oslo' });
    const { response_format, output_config } = last('as json');
    const schema = kind === 'openai' ? response_format?.json_schema?.schema : output_config?.format?.schema;
    expect(schema).toMatchObject({ properties: { city: { type: 'string' } } });
  });

  test('who leaves a stream ends it at the provider', async () => {
    const left = outcome('abort');
    expect(typeof left === 'string' ? left : left.error.message).toMatch(/^(aborted|ended)$|aborted/);
    await asked('abort')[0]!.closed;
  });

  test('an overload is tried again', () => {
    expect(outcome('retries')).toBe('Hello');
    expect(asked('retries')).toHaveLength(2);
  });
});

describe.each(kinds)('[clients.odd-inputs] langchain over %s', (kind) => {
  test('several choices are given, or refused by name', () => {
    const choices = results[`langchain ${kind} choices`];
    if (kind === 'openai') expect(choices).toEqual(['Hello']);
    else expect(choices.error).toMatchObject({ status: 400, message: expect.stringContaining('allowed: 1') });
  });

  test('a client that waits no longer closes the call at the provider', async () => {
    expect(results[`langchain ${kind} time-out`].error.message).toMatch(/timed out/);
    await hosts[kind].requests.find((request) => nameOf(request) === `langchain ${kind} time-out`)!.closed;
  });
});

test.each(['ai sdk', 'langchain', 'agents'])(
  '[error.not-found-hint] %s: a base URL as people write it answers, or says what to change',
  (library) => {
    expect(results[`${library} with a slash`]).toBe('Hello');
    expect(results[`${library} without v1`].error).toMatchObject({
      status: 404,
      message: expect.stringContaining('The base URL of this client ends with /v1: add it.'),
    });
    expect(results[`${library} with v1 twice`].error).toMatchObject({
      status: 404,
      message: expect.stringContaining('leave /v1 out of its base URL'),
    });
  },
);
