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
messages: { tool_use: govern }
tool_policies: { pack: null, default_decision: review, rules: [{ protocol: mcp, tool: read_file, decision: allow }] }
`);
}, 60_000);
afterAll(async () => {
  for (const kind of kinds) await fakes?.[kind].stop();
  await gateway?.stop();
}, 30_000);

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
