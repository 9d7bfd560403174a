/** `/v1/responses` through the official client, behind providers of both dialects. */
import { type ChatGateway, providerYaml, startChatGateway } from '../support/chat-clients.ts';
import { type FakeProvider, refuse, say, startFakeProvider } from '../support/fake-providers.ts';

const kinds = ['anthropic', 'openai'] as const;
let fakes: Record<(typeof kinds)[number], FakeProvider>;
let gateway: ChatGateway;

beforeAll(async () => {
  fakes = {
    anthropic: await startFakeProvider({ kind: 'anthropic' }),
    openai: await startFakeProvider({ kind: 'openai' }),
  };
  gateway = await startChatGateway(`
providers:
${providerYaml('theirs', 'anthropic', fakes.anthropic.baseUrl, ', models: [anthropic-model]')}
${providerYaml('others', 'openai', fakes.openai.baseUrl, ', models: [openai-model]')}
  - { name: mock, type: mock, models: [mock] }
messages: { tool_use: govern }
tool_policies: { pack: null, default_decision: review, rules: [{ protocol: mcp, tool: read_file, decision: allow }] }
`);
});
afterAll(async () => {
  for (const kind of kinds) await fakes?.[kind].stop();
  await gateway?.stop();
});

describe.each(kinds)('behind the %s dialect', (kind) => {
  const model = `${kind}-model`;
  const tools = [
    { type: 'function' as const, name: 'read_file', parameters: { type: 'object', properties: {} }, strict: false },
  ];

  test('[responses.create] a text', async () => {
    fakes[kind].answers(say('Hello there.'));
    const response = await gateway.openai().responses.create({ model, input: 'hi', instructions: 'Be kind.' });
    expect(response.output_text).toBe('Hello there.');
    const sent = JSON.stringify((await fakes[kind].request()).body);
    expect(sent).toContain('Be kind.');
  });

  test('[responses.stream] [responses.tool-use] a stream whose tool call arrives whole, and its result goes back', async () => {
    fakes[kind].answers(
      say('Let me look.', { toolCalls: [{ id: 'call_1', name: 'read_file', input: { path: 'é.ts' } }] }),
    );
    const stream = gateway.openai().responses.stream({ model, input: 'read it', tools });
    let text = '';
    stream.on('response.output_text.delta', ({ delta }) => {
      text += delta;
    });
    const response = await stream.finalResponse();
    expect(text).toBe('Let me look.');
    const call = response.output.find(({ type }) => type === 'function_call');
    expect(call).toMatchObject({ call_id: 'call_1', name: 'read_file', arguments: expect.stringContaining('é.ts') });
    fakes[kind].answers(say('It says x.'));
    const final = await gateway.openai().responses.create({
      model,
      tools,
      input: [
        { role: 'user', content: 'read it' },
        { type: 'function_call', call_id: 'call_1', name: 'read_file', arguments: '{"path":"é.ts"}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'x' },
      ],
    });
    expect(final.output_text).toBe('It says x.');
    expect(JSON.stringify((await fakes[kind].request()).body)).toContain('call_1');
  });

  test('[responses.create] a provider that refuses is an error of the client', async () => {
    fakes[kind].answers(refuse(kind, 400));
    await expect(gateway.openai().responses.create({ model, input: 'hi there, once more' })).rejects.toMatchObject({
      status: 400,
    });
  });
});

test('[embeddings.create] the official client, which asks for base64', async () => {
  const { data } = await gateway.openai().embeddings.create({ model: 'mock', input: ['one', 'two'] });
  expect(data.map(({ embedding }) => embedding.length)).toEqual([8, 8]);
  const length = Math.hypot(...data[0]!.embedding);
  expect(length).toBeGreaterThan(0.99);
  expect(length).toBeLessThan(1.01);
});

test.each([
  ['/chat/completions', 'ends with /v1'],
  ['/v1/v1/messages', 'leave /v1 out'],
  ['/v1/uploads', 'for batches alone'],
  ['/v1/responses/compact', 'shorten the conversation itself'],
  ['/v1/responses/resp_1/cancel', 'close the stream'],
  ['/v1/messages/batches', 'send the calls one by one'],
])('[error.not-found-hint] %s says what to set', async (path, says) => {
  const answer = await gateway.post(path, { body: {} });
  expect(answer.status).toBe(404);
  expect(JSON.stringify(answer.body)).toContain(says);
  expect(JSON.stringify((await gateway.post('/v1/else', { body: {} })).body)).not.toContain(says);
});
