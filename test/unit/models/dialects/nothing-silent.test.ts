/** Every member that the pages of a dialect know, at each level: it reaches the other form, is named, or is refused. */

import type { JsonObject } from '#core/kernel/json.ts';
import { readResponsesRequest } from '#core/models/dialects/responses/request.ts';
import { translator } from '#core/models/dialects/translate/translate.ts';
import { anthropicWire } from '#core/models/providers/anthropic.ts';
import { converseInput, converseLeftOut } from '#core/models/providers/bedrock-request.ts';
import { ollamaBody, ollamaLeftOut } from '#core/models/providers/ollama-request.ts';

type Crossing = (body: JsonObject) => { body: unknown; noted: readonly string[] };
const call = (body: JsonObject) => ({
  ...{ model: 'm', body, stream: false, headers: {}, signal: new AbortController().signal },
});
const through =
  (from: 'openai' | 'anthropic', to: 'openai' | 'anthropic'): Crossing =>
  (body) => {
    const noted: string[] = [];
    return { body: translator(from, to).request(body, (name) => noted.push(name)), noted };
  };
const ways: Record<string, Crossing> = {
  'chat completions to messages': through('openai', 'anthropic'),
  'chat completions to Ollama': (body) => ({ body: ollamaBody(call(body)), noted: ollamaLeftOut(body) }),
  'messages to chat completions': through('anthropic', 'openai'),
  'messages to Converse': (body) => ({ body: converseInput(call(body)), noted: converseLeftOut(body) }),
  'responses to chat completions': (body) => {
    const { body: chat, leftOut } = readResponsesRequest(body);
    return { body: chat, noted: leftOut };
  },
};

/** Reads as text in every form. */
const mark = 'marked';
const schema = { type: 'object' };
const png = 'data:image/png;base64,AAAA';
const user = { role: 'user', content: 'hi' };

// Chat completions.
const message = (more: JsonObject, role = 'user') => ({ messages: [{ role, content: 'hi', ...more }, user] });
const part = (more: JsonObject, role = 'user') => message({ content: [more] }, role);
const called = (more: JsonObject, own: JsonObject = {}) =>
  message(
    { tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}', ...own }, ...more }] },
    'assistant',
  );
const chatTool = (more: JsonObject, own: JsonObject = {}) => ({
  tools: [{ type: 'function', function: { name: 'f', parameters: schema, ...own }, ...more }],
});
const format = (more: JsonObject) => ({
  response_format: { type: 'json_schema', json_schema: { name: 'n', schema, ...more } },
});
const chat: Record<string, JsonObject> = {
  'message.name': message({ name: mark }),
  'message.role': message({ role: mark }),
  'system image': message({ content: [{ type: 'image_url', image_url: { url: png } }] }, 'system'),
  'image without url': part({ type: 'image_url', image_url: {} }),
  'message.refusal': message({ content: null, refusal: mark }, 'assistant'),
  'message.audio': message({ content: null, audio: { id: mark } }, 'assistant'),
  'message.annotations': message({ annotations: [{ url: mark }] }, 'assistant'),
  'message.function_call': message({ content: null, function_call: { name: mark, arguments: '{}' } }, 'assistant'),
  'message.reasoning_content': message({ reasoning_content: mark }, 'assistant'),
  'message.reasoning_details': message({ reasoning_details: [{ data: mark }] }, 'assistant'),
  'message.cache_control': message({ cache_control: { type: 'ephemeral' } }),
  'a function’s name': { messages: [user, { role: 'function', name: mark, content: 'x' }] },
  'text.cache_control': part({ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }),
  'text.annotations': part({ type: 'text', text: 'x', annotations: [mark] }, 'assistant'),
  'text.citations': part({ type: 'text', text: 'x', citations: [mark] }),
  'refusal part': part({ type: 'refusal', refusal: mark }, 'assistant'),
  'image_url.detail': part({ type: 'image_url', image_url: { url: png, detail: 'high' } }),
  'image_url.format': part({ type: 'image_url', image_url: { url: png, format: mark } }),
  'file.file_id': part({ type: 'file', file: { file_id: mark } }),
  'file.filename': part({ type: 'file', file: { filename: mark, file_data: 'data:application/pdf;base64,AAAA' } }),
  'file.format': part({ type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA', format: mark } }),
  'input_audio part': part({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }),
  'tool_calls.extra_content': called({ extra_content: { google: { thought_signature: mark } } }),
  'tool_calls.function.thought_signature': called({}, { thought_signature: mark }),
  'custom call': message(
    { tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'f', input: mark } }] },
    'assistant',
  ),
  'tools.cache_control': chatTool({ cache_control: { type: 'ephemeral' } }),
  'tools.function.description': chatTool({}, { description: mark }),
  'tools.function.strict': chatTool({}, { strict: true }),
  'tools.function.unknown': chatTool({}, { unknown: mark }),
  'custom tool': { tools: [{ type: 'custom', custom: { name: mark } }] },
  'tool_choice by name': { ...chatTool({}), tool_choice: { type: 'function', function: { name: 'f' } } },
  'tool_choice without tools': { tool_choice: 'required' },
  'response_format.description': format({ description: mark }),
  'response_format of another type': { response_format: { type: 'grammar', grammar: mark } },
  'response_format without schema': { response_format: { type: 'json_schema', json_schema: { name: mark } } },
  'stream_options.include_obfuscation': { stream: true, stream_options: { include_obfuscation: true } },
};

// Messages.
const block = (more: JsonObject, role = 'user') => ({ messages: [{ role, content: [more] }] });
const source = { type: 'text', media_type: 'text/plain', data: 'x' };
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
const use = { type: 'tool_use', id: 'c', name: 'f', input: {} };
const result = { type: 'tool_result', tool_use_id: 'c', content: 'x' };
const found = { type: 'search_result', source: 's', title: 't', content: [{ type: 'text', text: 'x' }] };
const ownTool = (more: JsonObject) => ({ tools: [{ name: 'f', input_schema: schema, ...more }] });
const messages: Record<string, JsonObject> = {
  'message.name': { messages: [{ ...user, name: mark }] },
  'message.role': { messages: [{ ...user, role: mark }] },
  'system image': { system: [{ type: 'text', text: 'x' }, image] },
  'system message with an image': { messages: [user, { role: 'system', content: [image] }] },
  'search_result with an image': block({ ...found, content: [image] }),
  'tool_choice.type': { ...ownTool({}), tool_choice: { type: mark } },
  'tool_choice as a text': { ...ownTool({}), tool_choice: 'required' },
  'system.citations': { system: [{ type: 'text', text: 'x', citations: [mark] }] },
  'text.citations': block({ type: 'text', text: 'x', citations: [{ cited_text: mark }] }, 'assistant'),
  'image.unknown': block({ ...image, unknown: mark }),
  'document.title': block({ type: 'document', source, title: mark }),
  'document.context': block({ type: 'document', source, context: mark }),
  'document.citations': block({ type: 'document', source, citations: { enabled: true } }),
  'document.unknown': block({ type: 'document', source, unknown: mark }),
  'search_result.citations': block({ ...found, citations: { enabled: true } }),
  'search_result.title': block({ ...found, title: mark }),
  'tool_use.caller': block({ ...use, caller: { type: mark } }, 'assistant'),
  'tool_result.is_error': block({ ...result, is_error: true }),
  'tool_result.unknown': block({ ...result, unknown: mark }),
  'tool_result.content.citations': block({ ...result, content: [{ type: 'text', text: 'x', citations: [mark] }] }),
  thinking: block({ type: 'thinking', thinking: mark, signature: 's' }, 'assistant'),
  redacted_thinking: {
    messages: [user, { role: 'assistant', content: [{ type: 'redacted_thinking', data: 'AAAA' }] }],
  },
  'container_upload block': block({ type: 'container_upload', file_id: mark }),
  'tools.strict': ownTool({ strict: true }),
  'tools.defer_loading': ownTool({ defer_loading: true }),
  'tools.input_examples': ownTool({ input_examples: [mark] }),
  'tool_choice.unknown': { ...ownTool({}), tool_choice: { type: 'auto', unknown: mark } },
  'tool_choice without tools': { tool_choice: { type: 'any' } },
  'output_config.format.unknown': { output_config: { format: { type: 'json_schema', schema, unknown: mark } } },
  'metadata.team': { metadata: { team: mark } },
};

// Responses.
const item = (more: JsonObject) => ({ input: [user, more] });
const input = (more: JsonObject) => item({ role: 'user', content: [more] });
const responses: Record<string, JsonObject> = {
  reasoning: item({ type: 'reasoning', summary: [], encrypted_content: mark }),
  'message.phase': item({ role: 'assistant', content: 'x', phase: mark }),
  'function_call.unknown': item({ type: 'function_call', call_id: 'c', name: 'f', arguments: '{}', unknown: mark }),
  'output.unknown': item({ type: 'function_call_output', call_id: 'c', output: 'x', unknown: mark }),
  'a part of an output': item({
    type: 'function_call_output',
    call_id: 'c',
    output: [{ type: 'input_text', text: 'x', unknown: mark }],
  }),
  'output_text.annotations': item({
    role: 'assistant',
    content: [{ type: 'output_text', text: 'x', annotations: [mark] }],
  }),
  'input_image.detail': input({ type: 'input_image', image_url: png, detail: mark }),
  'input_image.file_id': input({ type: 'input_image', file_id: mark }),
  'input_file.file_url': input({ type: 'input_file', file_url: mark }),
  item_reference: item({ type: 'item_reference', id: mark }),
  'tools.strict': { tools: [{ type: 'function', name: 'f', parameters: schema, strict: true, description: mark }] },
  'tools.defer_loading': { tools: [{ type: 'function', name: 'f', parameters: schema, defer_loading: true }] },
  'text.format.description': { text: { format: { type: 'json_schema', name: 'n', schema, description: mark } } },
  'text.format.unknown': { text: { format: { type: 'json_schema', name: 'n', schema, unknown: mark } } },
  'stream_options.include_obfuscation': { stream: true, stream_options: { include_obfuscation: true } },
};

const tables: readonly (readonly [way: string, base: JsonObject, table: Record<string, JsonObject>])[] = [
  ['chat completions to messages', { messages: [user] }, chat],
  ['chat completions to Ollama', { messages: [user] }, chat],
  ['messages to chat completions', { max_tokens: 9, messages: [user] }, messages],
  ['messages to Converse', { max_tokens: 9, messages: [user] }, messages],
  ['responses to chat completions', { input: 'hi' }, responses],
];

/** Members that are translated into other words, by what they become. */
const becomes: Record<string, RegExp> = {
  'text.cache_control': /cache_control/,
  'tools.cache_control': /cache_control/,
  'tools.function.strict': /strict/,
  'tools.strict': /strict/,
  'tool_choice by name': /"tool_choice":\{"type":"tool","name":"f"\}/,
  'tool_result.is_error': /Error: x|"status":"error"/,
  redacted_thinking: /redactedContent/,
  // Ollama has a place for pictures in each message.
  'system image': /"images":\["AAAA"\]/,
};

describe.each(tables)('[chat.translated-members] %s', (way, base, table) => {
  test.each(Object.keys(table))('%s is translated, named or refused', (name) => {
    let crossed: ReturnType<Crossing>;
    try {
      crossed = ways[way]!({ model: 'm', ...base, ...table[name] });
    } catch (thrown) {
      expect((thrown as Error).message).toMatch(/allowed/);
      return;
    }
    const text = JSON.stringify(crossed.body, (_, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString() : value,
    );
    const carried = (becomes[name] ?? new RegExp(mark)).test(text);
    expect([name, carried || crossed.noted.length > 0]).toEqual([name, true]);
  });

  test('an ordinary request names nothing', () => {
    expect(ways[way]!({ model: 'm', ...base }).noted).toEqual([]);
  });
});

test('[chat.translated-members] what clients return of ordinary answers names nothing', () => {
  const history = [
    user,
    {
      ...{ role: 'assistant', content: 'x', refusal: null, annotations: [], audio: null },
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: 'y' },
  ];
  for (const way of ['chat completions to messages', 'chat completions to Ollama'])
    expect(ways[way]!({ model: 'm', messages: history, ...format({ strict: true }) }).noted).toEqual([]);
  const blocks = [
    user,
    { role: 'assistant', content: [{ type: 'text', text: 'x', citations: null }, use] },
    { role: 'user', content: [result] },
  ];
  for (const way of ['messages to chat completions', 'messages to Converse'])
    expect(ways[way]!({ model: 'm', max_tokens: 9, messages: blocks }).noted).toEqual([]);
  const items = [
    {
      ...{ type: 'message', id: 'm', status: 'completed', role: 'assistant' },
      content: [{ type: 'output_text', text: 'x', annotations: [], logprobs: [] }],
    },
    { type: 'function_call', id: 'fc', status: 'completed', call_id: 'c', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c', output: 'y' },
  ];
  expect(ways['responses to chat completions']!({ model: 'm', input: items }).noted).toEqual([]);
});

describe('[chat.translated-members] what Anthropic’s own rules want', () => {
  const toAnthropic = (body: JsonObject) => ways['chat completions to messages']!({ model: 'm', ...body });
  const cached = (text: string) => ({ type: 'text', text, cache_control: { type: 'ephemeral' } });

  test.each([4, 6])('of %s breakpoints the last four are sent, and the loss is named', (count) => {
    const content = Array.from({ length: count - 1 }, (_, at) => cached(`part ${at}`));
    const { body, noted } = toAnthropic({
      messages: [{ role: 'user', content }],
      ...chatTool({ cache_control: { type: 'ephemeral' } }),
    });
    expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(4);
    expect(noted).toEqual(count > 4 ? ['cache_control'] : []);
    expect(JSON.stringify(body)).toContain(`{"type":"text","text":"part ${count - 2}","cache_control"`);
  });

  test('texts without a visible character are dropped, and turns alternate', () => {
    const { body } = toAnthropic({
      messages: [user, { role: 'assistant', content: ' \n' }, part({ type: 'text', text: ' ' }).messages[0]!, user],
    });
    expect(body).toMatchObject({ messages: [{ role: 'user', content: [{ text: 'hi' }, { text: 'hi' }] }] });
  });

  test('ids of calls that differ in one character stay two', () => {
    const calls = ['f:0', 'f.0'].map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } }));
    const results = calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: id }));
    const { body } = toAnthropic({
      messages: [user, { role: 'assistant', content: null, tool_calls: calls }, ...results],
    });
    const [, assistant, answers] = (body as { messages: { content: { id?: string; tool_use_id?: string }[] }[] })
      .messages;
    const ids = assistant!.content.map(({ id }) => id!);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(answers!.content.map(({ tool_use_id }) => tool_use_id)).toEqual(ids);
  });
});

test('[chat.translated-members] Converse: a refusal names the message and the part', () => {
  const document = { type: 'document', source, citations: { enabled: true } };
  const nested = { ...result, content: [{ type: 'text', text: 'x' }, document] };
  const refused = (content: JsonObject) => () =>
    ways['messages to Converse']!({
      model: 'm',
      max_tokens: 9,
      messages: [user, { role: 'user', content: [image, content] }],
    });
  expect(refused(document)).toThrow('messages[1].content[1].citations');
  expect(refused(nested)).toThrow('messages[1].content[1].content[1].citations');
  expect(refused({ type: 'hologram' })).toThrow('messages[1].content[1] ("hologram")');
});

test.each([
  ['chat completions to messages', 'system, developer, user, assistant, tool, function'],
  ['chat completions to Ollama', 'system, developer, user, assistant, tool, function, control'],
  ['messages to chat completions', 'user, assistant, system'],
  ['messages to Converse', 'user, assistant'],
])('[chat.translated-members] %s: an unknown role is refused with its index, and known ones pass', (way, allowed) => {
  const crossed = (role: string) => ways[way]!({ model: 'm', max_tokens: 9, messages: [user, { role, content: 'x' }] });
  expect(() => crossed('narrator')).toThrow(
    `messages[1].role ("narrator") cannot be carried to the provider of this model; allowed: ${allowed}.`,
  );
  for (const role of allowed.split(', ')) expect(() => crossed(role)).not.toThrow();
});

test.each([
  ['messages to chat completions', { system: [{ type: 'text', text: 'x' }, image] }, 'system[1] ("image")'],
  ['messages to Converse', { system: [{ type: 'text', text: 'x' }, image] }, 'system[1] ("image")'],
  ['messages to chat completions', { tool_choice: { type: mark } }, `tool_choice.type ("${mark}")`],
  ['messages to Converse', { ...ownTool({}), tool_choice: { type: mark } }, `tool_choice.type ("${mark}")`],
  ['chat completions to Ollama', part({ type: 'image_url', image_url: {} }), 'messages[0].content[0].image_url.url'],
  [
    'chat completions to messages',
    { messages: [user, { role: 'system', content: [{ type: 'image_url', image_url: { url: png } }] }] },
    'messages[1].content[0] ("image_url")',
  ],
])('[chat.translated-members] %s: what has no place is refused by its path, case %#', (way, more, path) => {
  expect(() => ways[way]!({ model: 'm', max_tokens: 9, messages: [user], ...more })).toThrow(
    `${path} cannot be carried`,
  );
});

test('[chat.translated-members] texts of a system prompt, and pictures of instructions alone, are carried as before', () => {
  const system = [{ type: 'text', text: 'x' }];
  for (const way of ['messages to chat completions', 'messages to Converse'])
    expect(ways[way]!({ model: 'm', max_tokens: 9, messages: [user], system }).noted).toEqual([]);
  const picture = { type: 'image_url', image_url: { url: png } };
  const { body } = ways['chat completions to messages']!({
    model: 'm',
    messages: [{ role: 'system', content: [picture] }],
  });
  expect(body).toMatchObject({ messages: [{ role: 'user', content: [{ type: 'image' }] }] });
});

test.each(['', ' ', [], undefined])(
  '[providers.converse-messages] an empty result of a tool is content, case %#',
  (content) => {
    const answer = { type: 'tool_result', tool_use_id: 'c', ...(content !== undefined && { content }) };
    const { body } = ways['messages to Converse']!({
      model: 'm',
      max_tokens: 9,
      messages: [{ role: 'user', content: [answer] }],
    });
    expect(body).toMatchObject({
      messages: [{ content: [{ toolResult: { toolUseId: 'c', content: [{ text: 'The result is empty.' }] } }] }],
    });
  },
);

test('[chat.translated-members] Anthropic gets no unsigned thinking, which it refuses, and the loss is named', () => {
  const unsigned = { type: 'thinking', thinking: mark, signature: '' };
  const signed = { type: 'thinking', thinking: 'own', signature: 's' };
  const text = { type: 'text', text: 'x' };
  const sent = (...messages: JsonObject[]) => {
    const body = { model: 'm', max_tokens: 9, messages: [user, ...messages] };
    return { body: anthropicWire.body(call(body)), noted: anthropicWire.leftOut!(body) };
  };
  const assistant = (...content: JsonObject[]) => ({ role: 'assistant', content });
  expect(sent(assistant(unsigned, text), user)).toMatchObject({
    body: { messages: [user, assistant(text), user] },
    noted: ['messages.content.thinking'],
  });
  expect(sent(assistant(unsigned), user).body.messages).toEqual([user, user]);
  expect(sent(assistant(signed, text), user)).toMatchObject({
    body: { messages: [user, assistant(signed, text), user] },
    noted: [],
  });
});
