/** A member of a tool call that its vendor wants back, through each endpoint: the history that the vendor gets has it again. */
import { caller } from '../support/call-endpoint.ts';
import { type FakeProvider, jsonReply, say, startFakeProvider, stream } from '../support/fake-providers.ts';
import type { Loose } from '../support/loose.ts';
import { keys, type TestPorts, testPorts } from '../support/ports.ts';
import { toolPolicies } from '../support/scripted-tools.ts';

let provider: FakeProvider;
const hosts = new Map<string, TestPorts>();
beforeAll(async () => {
  provider = await startFakeProvider({ kind: 'openai' });
  for (const setting of ['pass', 'govern'])
    hosts.set(
      setting,
      await testPorts({
        toolPolicies,
        secrets: { PROVIDER_KEY: 'provider-key-value-1' },
        extra: `
providers: [{ name: fake, type: openai, base_url: "${provider.baseUrl}", api_key_env: PROVIDER_KEY, models: ["gpt-*"] }]
chat_completions: { tool_use: ${setting} }
messages: { tool_use: ${setting === 'pass' ? 'hook' : setting} }
`,
      }),
    );
});
afterAll(async () => {
  for (const host of hosts.values()) await host.stop();
  await provider.stop();
});

const call = {
  ...{ id: 'call_g', type: 'function', function: { name: 'read_file', arguments: '{"path":"a.txt"}' } },
  extra_content: { google: { thought_signature: `TSIG+/==${'A'.repeat(300)}` } },
};
const whole = jsonReply({
  ...{ id: 'c', object: 'chat.completion', created: 0, model: 'gpt-4o' },
  choices: [
    { index: 0, message: { role: 'assistant', content: null, tool_calls: [call] }, finish_reason: 'tool_calls' },
  ],
});
const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 0, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const streamed = stream([
  chunk({ role: 'assistant', tool_calls: [{ index: 0, ...call }] }),
  chunk({}, 'tool_calls'),
  'data: [DONE]\n\n',
]);

const user = { role: 'user', content: 'go' };
const eventsOf = (text: string): Loose[] =>
  text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []));

/** For each endpoint: its body, and the turns that a client sends back. */
const endpoints: Record<string, (said: Loose[], isStream: boolean) => { messages?: object[]; input?: object[] }> = {
  '/v1/chat/completions': (events) => {
    const message = events.map(({ choices: [{ delta, message: whole }] }) => delta ?? whole);
    const { index: _, ...own } = message.flatMap(({ tool_calls = [] }) => tool_calls)[0];
    return {
      messages: [
        user,
        { role: 'assistant', content: null, tool_calls: [own] },
        { role: 'tool', tool_call_id: own.id, content: 'done' },
      ],
    };
  },
  '/v1/messages': (events, isStream) => {
    const { id } = isStream
      ? events.find(({ type }) => type === 'content_block_start').content_block
      : events[0].content[0];
    const use = { type: 'tool_use', id, name: 'read_file', input: { path: 'a.txt' } };
    const result = { type: 'tool_result', tool_use_id: id, content: 'done' };
    return {
      messages: [user, { role: 'assistant', content: [use] }, { role: 'user', content: [result] }],
    };
  },
  '/v1/responses': (events, isStream) => {
    const { output } = isStream ? events.at(-1).response : events[0];
    return { input: [user, ...output, { type: 'function_call_output', call_id: output[0].call_id, output: 'done' }] };
  },
};
const cases = Object.keys(endpoints).flatMap((path) =>
  ['pass', 'govern'].flatMap((setting) => [false, true].map((isStream) => [path, setting, isStream] as const)),
);

test.each(cases)('[chat.call-members] %s, tool_use %s, stream %s', async (path, setting, isStream) => {
  const post = (body: object) =>
    caller(hosts.get(setting)!.ports)('POST', path, {
      key: keys.agent,
      body: {
        model: 'gpt-4o',
        ...(path === '/v1/messages' && { max_tokens: 9 }),
        tools: toolsOf(path),
        ...body,
      },
    });
  provider.answers(isStream ? streamed : whole);
  const first = await post({ [path === '/v1/responses' ? 'input' : 'messages']: [user], stream: isStream });
  expect([first.status, first.text]).toEqual([200, expect.stringContaining('read_file')]);
  const events = isStream ? eventsOf(first.text) : [first.body];
  provider.answers(say('Done.'));
  const second = await post(endpoints[path]!(events, isStream));
  expect(second.status).toBe(200);
  expect(provider.requests.at(-1)!.body.messages.slice(-2)).toEqual([
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_g', content: 'done' },
  ]);
});

function toolsOf(path: string): object[] {
  const named = { name: 'read_file' };
  if (path === '/v1/messages') return [{ ...named, input_schema: { type: 'object' } }];
  const parameters = { type: 'object' };
  return path === '/v1/responses'
    ? [{ type: 'function', ...named, parameters }]
    : [{ type: 'function', function: { ...named, parameters } }];
}
