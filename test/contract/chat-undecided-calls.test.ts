/** A provider with arbitrary replies cannot smuggle an undecided tool call past the gateway. */
import { caller } from '../support/call-endpoint.ts';
import { jsonReply, startFakeProvider, stream } from '../support/fake-providers.ts';
import type { Loose } from '../support/loose.ts';
import { keys } from '../support/ports.ts';
import { toolPolicies } from '../support/scripted-tools.ts';
import { useGateway } from '../support/use-gateway.ts';
import { useStarted } from '../support/use-started.ts';

const provider = useStarted(() => startFakeProvider({ kind: 'openai' }));
const host = useGateway(() => ({
  toolPolicies,
  secrets: { PROVIDER_KEY: 'provider-key-value-1' },
  extra: `
providers: [{ name: fake, type: openai, base_url: "${provider.baseUrl}", api_key_env: PROVIDER_KEY, models: ["gpt-*"] }]
chat_completions: { tool_use: govern }
`,
}));

const tools = ['read_file', 'delete_all'].map((name) => ({
  type: 'function',
  function: { name, parameters: { type: 'object' } },
}));
const ask = (stream: boolean) =>
  caller(host.ports)('POST', '/v1/chat/completions', {
    key: keys.agent,
    body: { model: 'gpt-4o', stream, messages: [{ role: 'user', content: 'go' }], tools },
  });

const deleting = { name: 'delete_all', arguments: '{}' };
const reading = { name: 'read_file', arguments: '{"path":"a.txt"}' };
const call = (more: object) => ({ id: 'c1', type: 'function', ...more });
const whole = (message: object, choice: object = {}) =>
  jsonReply({
    ...{ id: 'c', object: 'chat.completion', created: 0, model: 'gpt-4o' },
    choices: [
      { index: 0, message: { role: 'assistant', content: 'Done.', ...message }, finish_reason: 'stop', ...choice },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  });

test.each<readonly [string, object, object]>([
  ['a message under another name', { Tool_Calls: [call({ function: deleting })] }, {}],
  ['a message in the form of another dialect', { tool_use: [call({ function: deleting })] }, {}],
  ['the older form', { function_call: deleting }, {}],
  [
    'a part of the content',
    {
      content: [
        { type: 'text', text: 'Done.' },
        { type: 'tool_use', name: 'delete_all', input: {} },
      ],
    },
    {},
  ],
  ['the choice', {}, { tool_calls: [call({ function: deleting })] }],
  ['a delta beside the message', {}, { delta: { tool_calls: [call({ function: deleting })] } }],
  ['a list in the list', { tool_calls: [[call({ function: deleting })]] }, {}],
])('[chat.tool-use] a call in %s does not reach the caller', async (_, message, choice) => {
  provider.answers(whole(message, choice));
  const { status, text } = await ask(false);
  expect([status, text]).toEqual([200, expect.stringContaining('Done.')]);
  expect(text).not.toContain('delete_all');
});

test.each([
  [
    'a second form beside the one that is decided',
    call({ function: deleting, custom: { name: 'read_file', input: 'a' } }),
  ],
  ['members beside the form', call({ ...deleting, function: reading })],
])('[chat.tool-use] %s is cut off', async (_, one) => {
  provider.answers(whole({ tool_calls: [one] }));
  expect((await ask(false)).text).not.toContain('delete_all');
});

test('[chat.tool-use] arguments that are an object are decided, and reach the caller as the text that was', async () => {
  provider.answers(whole({ tool_calls: [call({ function: { name: 'read_file', arguments: { path: 'a.txt' } } })] }));
  const { body } = await ask(false);
  expect(body.choices[0].message.tool_calls).toEqual([call({ function: reading })]);
  provider.answers(whole({ tool_calls: [call({ function: { name: 'read_file', arguments: { path: '.env' } } })] }));
  const entries: Loose[] = [];
  await ask(false);
  for await (const head of host.ports.evidence.entries('default', (await newest()).session_id)) entries.push(head);
  expect(entries.some(({ body: said }) => JSON.stringify(said).includes('.env'))).toBe(true);
});

const newest = async () => (await host.ports.evidence.sessions('default', { limit: 1 })).items[0]!;

const chunk = (choice: object) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 0, model: 'm', choices: [{ index: 0, ...choice }] })}\n\n`;

test.each([
  ['a message beside the delta', { delta: { content: 'x' }, message: { tool_calls: [call({ function: deleting })] } }],
  ['the choice', { delta: { content: 'x' }, tool_calls: [call({ function: deleting })] }],
  ['the delta under another name', { delta: { content: 'x', calls: [call({ function: deleting })] } }],
])('[chat.tool-use] a call in %s of a stream does not reach the caller', async (_, choice) => {
  provider.answers(
    stream([
      chunk({ ...choice, finish_reason: null }),
      chunk({ delta: {}, finish_reason: 'stop' }),
      'data: [DONE]\n\n',
    ]),
  );
  const { status, text } = await ask(true);
  expect([status, text]).toEqual([200, expect.stringContaining('"content":"x"')]);
  expect(text).not.toContain('delete_all');
});

test('[chat.tool-use] members that are not calls are kept: log probabilities, reasoning, annotations, texts of a vendor', async () => {
  const kept = { reasoning: 'Thinking.', annotations: [{ type: 'url_citation', url: 'https://a.example' }] };
  provider.answers(whole(kept, { logprobs: { content: [] }, native_finish_reason: 'stop' }));
  const { body } = await ask(false);
  expect(body.choices[0]).toMatchObject({ message: kept, logprobs: { content: [] }, native_finish_reason: 'stop' });
});
