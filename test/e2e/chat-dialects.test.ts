/** The OpenAI client in front of providers that speak otherwise: Anthropic and Ollama. */
import type OpenAI from 'openai';
import { type ChatGateway, providerKey, providerYaml, startChatGateway } from '../support/chat-clients.ts';
import { type FakeProvider, piecesOf, refuse, say, startFakeProvider, stream } from '../support/fake-providers.ts';

const kinds = ['anthropic', 'ollama'] as const;
type Kind = (typeof kinds)[number];

let fakes: Record<Kind, FakeProvider>;
let gateway: ChatGateway;
let client: OpenAI;

beforeAll(async () => {
  fakes = {
    anthropic: await startFakeProvider({ kind: 'anthropic' }),
    ollama: await startFakeProvider({ kind: 'ollama' }),
  };
  gateway = await startChatGateway(`
providers:
${providerYaml('anthropic', 'anthropic', fakes.anthropic.baseUrl, ', models: [anthropic-model]')}
${providerYaml('ollama', 'ollama', fakes.ollama.baseUrl, ', models: [ollama-model]')}
cache: { enabled: false }
`);
  client = gateway.openai();
});
afterAll(async () => {
  for (const kind of kinds) await fakes?.[kind].stop();
  await gateway?.stop();
});

const tools: OpenAI.Chat.ChatCompletionTool[] = [
  {
    type: 'function',
    function: { name: 'read_file', description: 'Reads.', parameters: { type: 'object', properties: {} } },
  },
];
const input = { path: 'src/été "q".ts', note: '日本 🙂 \n tab\t' };
const call = { id: 'call_1', name: 'read_file', input };
const ask = (kind: Kind, text: string, more: object = {}) => ({
  model: `${kind}-model`,
  messages: [
    { role: 'system' as const, content: 'Be brief.' },
    { role: 'user' as const, content: text },
  ],
  ...more,
});

describe.each(kinds)('[chat.completions] a model behind the %s dialect', (kind) => {
  test('answers whole, counted, with our key', async () => {
    fakes[kind].answers(say('Bonjour 🙂', { inputTokens: 21, outputTokens: 9 }));
    const answer = await client.chat.completions.create(
      ask(kind, 'hello', { max_completion_tokens: 50, temperature: 0.5, stop: ['END'] }),
    );
    expect(answer).toMatchObject({
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Bonjour 🙂' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 21, completion_tokens: 9, total_tokens: 30 },
    });
    const { headers, body } = await fakes[kind].request();
    expect(JSON.stringify(headers)).toContain(providerKey);
    const sent = JSON.stringify(body);
    for (const said of ['Be brief.', 'hello', '50', '0.5', 'END']) expect(sent).toContain(said);
  });

  test('answers in a stream, with usage for those who ask', async () => {
    fakes[kind].answers(say(['Bon', 'jour ', '🙂'], { inputTokens: 21, outputTokens: 9 }));
    for (const include_usage of [true, false]) {
      let text = '';
      const usage = [];
      const finished = [];
      const asked = { ...ask(kind, 'hello'), stream: true as const, stream_options: { include_usage } };
      for await (const chunk of await client.chat.completions.create(asked)) {
        text += chunk.choices[0]?.delta.content ?? '';
        if (chunk.usage) usage.push(chunk.usage);
        if (chunk.choices[0]?.finish_reason) finished.push(chunk.choices[0].finish_reason);
      }
      expect(text).toBe('Bonjour 🙂');
      expect(finished).toEqual(['stop']);
      expect(usage).toMatchObject(include_usage ? [{ prompt_tokens: 21, completion_tokens: 9, total_tokens: 30 }] : []);
    }
  });

  test.each([false, true])('calls tools, and gets their results back; streamed: %s', async (streamed) => {
    fakes[kind].answers([say('Let me look.', { toolCalls: [call] }), say('Done.')]);
    const asked = ask(kind, 'use it', { tools, parallel_tool_calls: false });
    const answer = streamed
      ? await client.chat.completions.stream(asked).finalChatCompletion()
      : await client.chat.completions.create(asked);
    const { message, finish_reason } = answer.choices[0]!;
    expect(finish_reason).toBe('tool_calls');
    expect(message.content).toBe('Let me look.');
    const [made] = message.tool_calls ?? [];
    expect(made).toMatchObject({ type: 'function', function: { name: 'read_file' } });
    expect(JSON.parse(made?.type === 'function' ? made.function.arguments : '')).toEqual(input);
    const result = { role: 'tool' as const, tool_call_id: made!.id, content: 'c’est l’été' };
    const history = [...ask(kind, 'use it').messages, message, result];
    const final = await client.chat.completions.create({ model: `${kind}-model`, messages: history, tools });
    expect(final.choices[0]?.message.content).toBe('Done.');
    const sent = JSON.stringify((await fakes[kind].request(1)).body);
    expect(sent).toContain('c’est l’été');
    expect(sent).toContain('read_file');
  });

  test('refuses, and breaks off, in the caller’s dialect', async () => {
    fakes[kind].answers(refuse(kind, 400, 'the context is too long'));
    await expect(client.chat.completions.create(ask(kind, 'x'))).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('the context is too long'),
    });
    fakes[kind].answers(refuse(kind, 529, 'overloaded'));
    await expect(client.chat.completions.create(ask(kind, 'x'))).rejects.toMatchObject({
      status: 503,
      type: 'provider_overloaded',
    });
    fakes[kind].answers(stream(piecesOf(kind, { text: ['half ', 'a '] }).slice(0, -2), 'break'));
    const reading = async () => {
      for await (const _ of await client.chat.completions.create({ ...ask(kind, 'x'), stream: true }));
    };
    await expect(reading()).rejects.toMatchObject({ type: 'provider_error' });
    expect(await gateway.open()).toBe(0);
  });
});

test('[chat.completions] two choices are more than Anthropic’s dialect can give, and that is said', async () => {
  await expect(client.chat.completions.create(ask('anthropic', 'twice', { n: 2 }))).rejects.toMatchObject({
    status: 400,
    type: 'invalid_request',
  });
});

test('… and more than Ollama’s', async () => {
  fakes.ollama.answers(say('once'));
  await expect(client.chat.completions.create(ask('ollama', 'twice', { n: 2 }))).rejects.toMatchObject({ status: 400 });
});
