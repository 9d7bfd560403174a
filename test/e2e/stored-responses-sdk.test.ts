/** Responses stored by their provider, with the official OpenAI client, against a provider account over real HTTP. */
import { type ChatGateway, providerYaml, startChatGateway } from '../support/chat-clients.ts';
import { type FakeProvider, say, startFakeProvider } from '../support/fake-providers.ts';
import { called, type ResponseAccount, responseAccount, said } from '../support/fake-responses.ts';

let fake: FakeProvider;
let plain: FakeProvider;
let account: ResponseAccount;
let gateway: ChatGateway;

beforeAll(async () => {
  account = responseAccount();
  fake = await startFakeProvider({ kind: 'openai', script: account.script });
  plain = await startFakeProvider({ kind: 'openai', script: say('Plain.') });
  gateway = await startChatGateway(`
      - { key: chat-other-key, role: operator, kind: agent, name: other }
    system_prompt: "House rules."
providers:
${providerYaml('keeping', 'openai', fake.baseUrl, ', models: ["gpt-*"], keeps_responses: true')}
${providerYaml('plain', 'openai', plain.baseUrl, ', models: ["plain-*"]')}
policies:
  input: [{ name: no-secret, type: keyword, action: block, keywords: ["project bluebird"] }]
  output: [{ name: no-leak, type: keyword, action: block, keywords: ["top secret"] }]
messages: { tool_use: govern }
tool_policies:
  pack: null
  default_decision: review
  rules:
    - { protocol: mcp, tool: read_file, decision: allow }
    - { protocol: mcp, tool: drop_table, decision: block, reason: No tables are dropped. }
`);
});
afterAll(async () => {
  await fake?.stop();
  await plain?.stop();
  await gateway?.stop();
});
beforeEach(() => {
  account.answer = () => [said('Hello there.')];
  account.made.length = 0;
});

const model = 'gpt-5';
const tools = [
  { type: 'function' as const, name: 'read_file', parameters: { type: 'object', properties: {} }, strict: false },
  { type: 'function' as const, name: 'drop_table', parameters: { type: 'object', properties: {} }, strict: false },
];

test('[responses.stored] the client can create, read, list, continue and delete a response', async () => {
  const client = gateway.openai();
  const first = await client.responses.create({
    model,
    input: 'My name is Ada.',
    instructions: 'Be brief.',
    store: true,
    metadata: { job: 'greeting' },
  });
  expect(first).toMatchObject({ status: 'completed', store: true, output_text: 'Hello there.' });
  expect(first.id).toMatch(/^resp_[0-9a-f]{32}$/);
  expect(account.made[0]).toMatchObject({ store: true, metadata: { job: 'greeting' } });
  expect(account.made[0].instructions).toBe('House rules.\n\nBe brief.');

  const read = await client.responses.retrieve(first.id);
  expect(read).toMatchObject({ id: first.id, output_text: 'Hello there.', store: true, metadata: { job: 'greeting' } });
  expect(JSON.stringify(read)).not.toContain('House rules');
  const items = await client.responses.inputItems.list(first.id);
  expect(items.data).toMatchObject([{ role: 'user', content: 'My name is Ada.' }]);
  expect(JSON.stringify(items.data)).not.toContain('House rules');

  account.answer = (conversation) => [said(`You said ${conversation.length} things.`)];
  const second = await client.responses.create({ model, input: 'Who am I?', previous_response_id: first.id });
  expect(second).toMatchObject({ output_text: 'You said 3 things.', previous_response_id: first.id, store: true });
  expect(account.made[1].input).toEqual([{ type: 'message', role: 'user', content: 'Who am I?' }]);
  expect(account.made[1].previous_response_id).toBe([...account.kept.keys()][0]);
  expect(second.usage).toMatchObject({ input_tokens: 30, output_tokens: 5 });

  await client.responses.delete(first.id);
  await expect(client.responses.retrieve(first.id)).rejects.toMatchObject({ status: 404 });
  await expect(client.responses.create({ model, input: 'x', previous_response_id: first.id })).rejects.toMatchObject({
    status: 404,
  });
  await expect(client.responses.cancel(second.id)).rejects.toMatchObject({ status: 404 });
  expect([...account.kept.keys()]).toHaveLength(1);
});

test('[responses.stored] a streamed response is stored like a whole one, and can be continued with the result of its tool call', async () => {
  account.answer = (conversation) =>
    conversation.some(({ type }) => type === 'function_call_output')
      ? [said('It says x.')]
      : [said('Let me look.'), called('read_file', { path: 'a.ts' })];
  const stream = gateway.openai().responses.stream({ model, input: 'read it', tools, store: true });
  let text = '';
  stream.on('response.output_text.delta', ({ delta }) => {
    text += delta;
  });
  const response = await stream.finalResponse();
  expect(text).toBe('Let me look.');
  expect(response).toMatchObject({ store: true });
  expect(response.output.at(-1)).toMatchObject({ type: 'function_call', name: 'read_file', call_id: 'call_1' });
  const read = await gateway.openai().responses.retrieve(response.id);
  expect(read.output.at(-1)).toMatchObject({ type: 'function_call', name: 'read_file' });
  const done = await gateway.openai().responses.create({
    model,
    tools,
    previous_response_id: response.id,
    input: [{ type: 'function_call_output', call_id: 'call_1', output: 'x' }],
  });
  expect(done.output_text).toBe('It says x.');
});

test.each([true, false])(
  '[responses.stored] a response with a blocked tool call is not stored, and is deleted at the provider (stream: %s)',
  async (streams) => {
    account.answer = () => [called('drop_table', { name: 'users' })];
    const before = account.kept.size;
    const asked = { model, input: 'drop it', tools, store: true };
    const response = streams
      ? await gateway.openai().responses.stream(asked).finalResponse()
      : await gateway.openai().responses.create(asked);
    expect(response.output_text).toContain('No tables are dropped');
    expect(response).toMatchObject({ store: false });
    expect(account.kept.size).toBe(before);
    await expect(gateway.openai().responses.retrieve(response.id)).rejects.toMatchObject({ status: 404 });
  },
);

test('[responses.stored] another key cannot read, continue, list or delete a response', async () => {
  const { id } = await gateway.openai().responses.create({ model, input: 'mine', store: true });
  const { responses } = gateway.openai({ apiKey: 'chat-other-key' });
  for (const work of [
    () => responses.retrieve(id),
    () => responses.delete(id),
    () => responses.inputItems.list(id).then(({ data }) => data),
    () => responses.create({ model, input: 'x', previous_response_id: id }),
    () => responses.retrieve('resp_theirs1'),
  ])
    await expect(work()).rejects.toMatchObject({ status: 404 });
  expect((await gateway.openai().responses.retrieve(id)).id).toBe(id);
});

test('[responses.stored] no response is stored with store: false or if the provider has no storage', async () => {
  const client = gateway.openai();
  const kept = account.kept.size;
  fake.answers((request) => (request.path.endsWith('/chat/completions') ? say('Chat.') : account.script(request)));
  const unkept = await client.responses.create({ model, input: 'x', store: false });
  expect(unkept).toMatchObject({ store: false, output_text: 'Chat.' });
  fake.answers(account.script);
  const other = await client.responses.create({ model: 'plain-1', input: 'x', store: true, metadata: { a: 'b' } });
  expect(other).toMatchObject({ store: false, output_text: 'Plain.' });
  expect((await plain.request()).body).not.toHaveProperty('metadata');
  await expect(client.responses.retrieve(other.id)).rejects.toMatchObject({ status: 404 });
  expect(account.kept.size).toBe(kept);
  const mine = await client.responses.create({ model, input: 'mine', store: true });
  await expect(
    client.responses.create({ model: 'plain-1', input: 'x', previous_response_id: mine.id }),
  ).rejects.toMatchObject({ status: 409 });
});

test('[responses.stored] filters check responses both when they are stored and when they are read', async () => {
  const client = gateway.openai();
  account.answer = () => [said('the top secret plan')];
  const before = account.kept.size;
  await expect(client.responses.create({ model, input: 'x', store: true })).rejects.toMatchObject({ status: 403 });
  expect(account.kept.size).toBe(before);
  account.answer = () => [said('fine')];
  const { id } = await client.responses.create({ model, input: 'x', store: true });
  const [theirs] = [...account.kept.values()].slice(-1);
  theirs.response.output[0].content[0].text = 'the top secret plan';
  await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 403 });
  await expect(
    client.responses.create({ model, input: 'project bluebird', previous_response_id: id }),
  ).rejects.toMatchObject({ status: 403 });
});

test('[responses.stored] each use of a stored response is recorded in evidence; background, conversations and prompts are still refused', async () => {
  const client = gateway.openai();
  const { id } = await client.responses.create({ model, input: 'x', store: true });
  await client.responses.retrieve(id);
  await client.responses.delete(id);
  const { entries } = (
    await gateway.admin<{ entries: { body: { operation?: string; resource?: string } }[] }>('audit?kind=chat&limit=50')
  ).body;
  const uses = entries.filter((entry) => entry.body.resource === id).map((entry) => entry.body.operation);
  expect(uses.sort()).toEqual(['responses', 'responses.delete', 'responses.delete', 'responses.retrieve']);
  for (const more of [{ background: true }, { conversation: 'conv_1' }, { prompt: { id: 'pmpt_1' } }])
    await expect(client.responses.create({ model, input: 'x', ...more })).rejects.toMatchObject({ status: 400 });
});
