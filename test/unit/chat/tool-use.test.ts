/** Arguments of a model's tool call that could be read in two ways never reach the caller. */
import type { ChatCall } from '#core/chat/call.ts';
import { CompletionToolGate, governCompletion } from '#core/chat/completion-tools.ts';
import type { ChatPorts } from '#core/chat/ports.ts';
import { listedBetas, refuseProviderRun } from '#core/chat/provider-tools.ts';
import { ToolGate } from '#core/chat/tool-gate.ts';
import { governReply } from '#core/chat/tool-use.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';

/** Tool governance does not matter here, because the call is refused earlier. */
const messages = {
  tool_use: 'govern',
  structured_output: 'data',
  provider_tools: [] as string[],
  betas: ['effort-*'],
} as const;
const callWith = (over: object = {}) =>
  ({ snapshot: { configuration: { messages: { ...messages, ...over } } } }) as unknown as ChatCall;
const [ports, call] = [{} as ChatPorts, callWith()];

async function streamed(json: string): Promise<string> {
  const gate = new ToolGate(ports, call);
  const index = 0;
  const block = { type: 'tool_use', id: 't', name: 'send', input: {} };
  await gate.pass({ type: 'content_block_start', index, content_block: block });
  await gate.pass({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: json } });
  return JSON.stringify(await gate.pass({ type: 'content_block_stop', index }));
}

const twofold: readonly (readonly [string, RegExp])[] = [
  ['{"n":9007199254740993}', /9007199254740993.*or send it as a string/],
  ['{"n":1e21}', /1e21/],
  ['{"a":{"__proto__":{"to":"eve"}}}', /__proto__/],
];

test.each([
  ...twofold,
  ['{"n":0.1234567890123456789}', /exactly/],
  ['{"to":1,"to":2}', /twice/],
  ['["x"]', /not a JSON object/],
] as const)('[json.exact-numbers] a streamed tool call with %s is blocked with a reason', async (json, why) => {
  const events = await streamed(json);
  expect(events).toMatch(/\[send was blocked: its arguments (are|contain) /);
  expect(events).toMatch(why);
  expect(events).not.toContain('tool_use');
});

test.each(twofold)(
  '[json.exact-numbers] a tool call in a complete reply is blocked as well: %s',
  async (json, _why) => {
    const content = [{ type: 'tool_use', id: 't', name: 'send', input: JSON.parse(json) }];
    const reply = await governReply(ports, call, { content, stop_reason: 'tool_use' });
    expect(reply.stop_reason).toBe('end_turn');
    expect(JSON.stringify(reply.content)).toMatch(/\[send was blocked: its arguments contain /);
  },
);

test('[json.exact-numbers] a defect inside a string is reported as a defect in the arguments', async () => {
  expect(await streamed('{"to":"\\ud800"}')).toContain(
    '[send was blocked: a string in its arguments contains a lone surrogate; send well-formed Unicode.]',
  );
});

const ran = (type: string, name?: string) => ({ type, id: 's', ...(name && { name }), input: {}, content: [] });
const providerRun = [
  ran('server_tool_use', 'web_search'),
  ran('web_search_tool_result'),
  ran('mcp_tool_use', 'delete_everything'),
  ran('mcp_tool_result'),
  ran('code_execution_tool_result'),
];

test.each(providerRun)(
  '[messages.provider-run] a result of a tool run by the provider does not reach the caller: $type $name',
  async (block) => {
    const reply = await governReply(ports, call, { content: [block, { type: 'text', text: 'said' }] });
    expect(reply.content).toEqual([
      { type: 'text', text: expect.stringMatching(/was blocked/) },
      { type: 'text', text: 'said' },
    ]);
    const gate = new ToolGate(ports, call);
    const events = [
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"q":"x"}' } },
      { type: 'content_block_stop', index: 0 },
    ];
    const out = [];
    for (const event of events) out.push(...(await gate.pass(event)));
    expect(out.map(({ type }) => type)).toEqual(events.map(({ type }) => type));
    expect(JSON.stringify(out)).toMatch(/was blocked/);
    expect(JSON.stringify(out)).not.toContain('"q');
  },
);

test('[messages.provider-run] configured provider tools are allowed', async () => {
  const listed = callWith({ provider_tools: ['web_search_*'] });
  const content = providerRun.slice(0, 2);
  expect((await governReply(ports, listed, { content })).content).toEqual(content);
});

const settings = { ...messages, betas: [...messages.betas] };
const asked = (body: object, over: object = {}) => refuseProviderRun({ ...settings, ...over }, body as JsonObject);

test.each([
  ['a server of the caller', { mcp_servers: [{ url: 'https://a.example' }] }, /mcp_servers/],
  ['a server that is no list', { mcp_servers: { url: 'https://a.example' } }, /mcp_servers/],
  ['a tool of the provider', { tools: [{ name: 'f' }, { type: 'web_search_20250305' }] }, /tools\[1\]/],
  ['code that the provider runs', { tools: [{ type: 'code_execution_20250825' }] }, /code_execution/],
  ['an unknown type', { tools: [{ type: 'next_20300101' }] }, /next_20300101/],
  ['a type that is no text', { tools: [{ type: 7 }] }, /type 7/],
  ['skills', { container: { skills: [{ skill_id: 'xlsx' }] } }, /skills/],
  ['a beta in the body', { betas: ['code-execution-2025-05-22'] }, /code-execution/],
])('[messages.provider-run] a request with %s is rejected', (_, body, found) => {
  expect(() => asked(body)).toThrow(found);
});

test.each([
  ['its own tools', { tools: [{ name: 'f' }, { type: 'custom', name: 'g' }] }],
  ['tools that the caller runs', { tools: [{ type: 'bash_20250124', name: 'bash' }] }],
  ['a container to go on in', { container: 'container_01' }],
  ['a listed beta in the body', { betas: ['effort-2025-11-24'] }],
  ['nothing of it', { mcp_servers: [], tools: null }],
])('[messages.provider-run] a request with %s is allowed', (_, body) => {
  expect(() => asked(body)).not.toThrow();
});

test('[messages.provider-run] a listed provider tool is allowed', () => {
  const body = { tools: [{ type: 'web_search_20250305', name: 'web_search' }] };
  expect(() => asked(body, { provider_tools: ['web_search_*'] })).not.toThrow();
});

test.each([
  ['both', 'effort-2025-11-24, next-2030-01-01', { 'anthropic-beta': 'effort-2025-11-24' }, ['next-2030-01-01']],
  ['none that is listed', 'next-2030-01-01,,mcp-client-2025-11-20', {}, ['next-2030-01-01', 'mcp-client-2025-11-20']],
  ['listed ones alone', 'effort-2025-11-24', { 'anthropic-beta': 'effort-2025-11-24' }, []],
])('[messages.provider-run] for a header with %s, only the listed values are forwarded', (_, header, kept, leftOut) => {
  expect(listedBetas(settings, { 'anthropic-beta': header, 'anthropic-version': '2023-06-01' })).toEqual({
    passed: { 'anthropic-version': '2023-06-01', ...kept },
    leftOut: leftOut.map((beta) => `anthropic-beta ${beta}`),
  });
});

describe('[chat.tool-use] a stream with tool calls split in unusual places', () => {
  const start = (content_block: object, index: unknown = 0) => ({ type: 'content_block_start', index, content_block });
  const delta = (delta: object, index: unknown = 0) => ({ type: 'content_block_delta', index, delta });
  const json = (partial_json: string, index: unknown = 0) => delta({ type: 'input_json_delta', partial_json }, index);
  const stop = (index: unknown = 0) => ({ type: 'content_block_stop', index });
  const use = { type: 'tool_use', id: 't', name: 'send', input: {} };
  const said = { type: 'text', text: '' };
  const twice = '{"to":1,"to":2}';

  async function out(events: readonly object[]): Promise<JsonObject[]> {
    const gate = new ToolGate(ports, call);
    const all = [];
    for (const event of events) all.push(...(await gate.pass(event as JsonObject)));
    return all;
  }

  test.each<[string, object[]]>([
    ['a call that never ends', [start(use), json('{"to":1}')]],
    ['a call within the first event', [{ type: 'message_start', message: { id: 'm', content: [use] } }]],
    ['more input behind the end', [start(use), json(twice), stop(), json('{"to":3}'), stop()]],
    ['input by an index of another kind', [start(use, '0'), json(twice, 0), stop(0)]],
    ['another beginning of the same block', [start(use), start(use), json(twice), stop()]],
    ['input of a text', [start(said), json('{"to":1}'), stop()]],
    ['input of no block', [json('{"to":1}', 7), stop(7)]],
    ['another name later on', [start(use), delta({ type: 'name_delta', name: 'send' }), json(twice), stop()]],
    ['a type in another case', [start({ ...use, type: 'Tool_Use' }), json(twice), stop()]],
    ['a call of an unknown type', [start({ type: 'function_call', name: 'send', arguments: '{}' }), stop()]],
  ])('%s never reaches the caller', async (_, events) => {
    const all = JSON.stringify(await out(events));
    for (const part of ['tool_use', 'Tool_Use', 'function_call","', 'partial_json', 'name_delta'])
      expect(all).not.toContain(part);
  });

  test('text, thinking blocks and signatures pass unchanged', async () => {
    const events = [
      { type: 'message_start', message: { id: 'm', content: [] } },
      start({ type: 'thinking', thinking: '' }),
      delta({ type: 'thinking_delta', thinking: 'a' }),
      delta({ type: 'signature_delta', signature: 'b' }),
      stop(),
      start(said, 1),
      delta({ type: 'text_delta', text: 'c' }, 1),
      stop(1),
      { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
      { type: 'message_stop' },
    ];
    expect(await out(events)).toEqual(events);
  });

  test.each<[string, object]>([
    ['input that is a text', { ...use, input: '{"to":1}' }],
    ['input that is a list', { ...use, input: [1] }],
    ['an unknown type', { ...use, type: 'function_call' }],
  ])('a call in a complete reply with %s is blocked as well', async (_, block) => {
    const reply = await governReply(ports, call, { content: [block as JsonObject], stop_reason: 'tool_use' });
    expect(reply.content).toEqual([{ type: 'text', text: expect.stringContaining('[send was blocked') }]);
  });
});

describe('[dialects.unknown-end] a stream that ends inside a tool call', () => {
  const within = /ended its stream within a tool call/;

  test('callers of the messages API get an error before the stream ends', async () => {
    const gate = new ToolGate(ports, call);
    await gate.pass({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
    expect(() => gate.end()).not.toThrow();
    const block = { type: 'tool_use', id: 'c', name: 'f', input: {} };
    const held = new ToolGate(ports, call);
    await held.pass({ type: 'content_block_start', index: 1, content_block: block });
    await expect(held.pass({ type: 'message_delta', delta: { stop_reason: 'tool_use' } })).rejects.toThrow(within);
    expect(() => held.end()).toThrow(within);
  });

  test('is an error for chat completions callers; a stream with only text is not', async () => {
    const gate = new CompletionToolGate(ports, call);
    await gate.pass({ choices: [{ index: 0, delta: { content: 'x' }, finish_reason: null }] });
    expect(() => gate.end()).not.toThrow();
    const fragment = { index: 0, id: 'c', function: { name: 'f', arguments: '{' } };
    await gate.pass({ choices: [{ index: 0, delta: { tool_calls: [fragment] }, finish_reason: null }] });
    expect(() => gate.end()).toThrow(within);
  });
});

test('[chat.tool-use] text before a blocked call is kept, even if the provider sent it in parts', async () => {
  const calls = [{ id: 'c', function: { name: 'f', arguments: 'oops' } }];
  const replied = async (content: Json) => {
    const choices = [{ index: 0, message: { content, tool_calls: calls }, finish_reason: 'tool_calls' }];
    return governCompletion(ports, call, { choices });
  };
  const refused = { message: { content: expect.stringMatching(/^Hello\n\n\[f was blocked/) }, finish_reason: 'stop' };
  const parts = ['Hel', 'lo'].map((text) => ({ type: 'text', text }));
  for (const content of ['Hello', parts]) expect(await replied(content)).toMatchObject({ choices: [refused] });
});
