/** Every documented member of a dialect, at each level: it is translated, reported as omitted, or refused. */

import * as z from 'zod';
import type { JsonObject } from '#core/kernel/json.ts';
import { readResponsesRequest } from '#core/models/dialects/responses/request.ts';
import { translator } from '#core/models/dialects/translate/translate.ts';
import { anthropicWire } from '#core/models/providers/anthropic.ts';
import { converseInput, converseLeftOut } from '#core/models/providers/bedrock-request.ts';
import { ollamaBody, ollamaLeftOut } from '#core/models/providers/ollama-request.ts';
import { object, readCases } from '../../../support/yaml.ts';

const rows = z.record(z.string(), object);
const { chat, messages, responses, roles, refused } = readCases(
  'test/unit/models/dialects/nothing-silent.yaml',
  z.strictObject({
    chat: rows,
    messages: rows,
    responses: rows,
    roles: z.array(z.tuple([z.string(), z.string()])),
    refused: z.array(z.tuple([z.string(), object, z.string()])),
  }),
);

type Crossing = (body: JsonObject) => { body: unknown; noted: readonly string[] };
const call = (body: JsonObject) => ({
  model: 'm',
  body,
  stream: false,
  headers: {},
  signal: new AbortController().signal,
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

/** String that is valid text in every form. */
const mark = 'marked';
const schema = { type: 'object' };
const user = { role: 'user', content: 'hi' };

const message = (more: JsonObject, role = 'user') => ({ messages: [{ role, content: 'hi', ...more }, user] });
const part = (more: JsonObject, role = 'user') => message({ content: [more] }, role);
const chatTool = (more: JsonObject, own: JsonObject = {}) => ({
  tools: [{ type: 'function', function: { name: 'f', parameters: schema, ...own }, ...more }],
});
const format = (more: JsonObject) => ({
  response_format: { type: 'json_schema', json_schema: { name: 'n', schema, ...more } },
});
const source = { type: 'text', media_type: 'text/plain', data: 'x' };
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
const use = { type: 'tool_use', id: 'c', name: 'f', input: {} };
const result = { type: 'tool_result', tool_use_id: 'c', content: 'x' };
/** Returns the body described by a table row, in the format of the endpoint. */
function bodyOf(list: 'messages' | 'input', { part, message, item, role = 'user', ...body }: JsonObject): JsonObject {
  const asked = { role, content: part ? [part] : list === 'input' ? 'x' : 'hi', ...(message as JsonObject) };
  return part || message || item ? { [list]: [user, item ?? asked, user] } : body;
}

const tables: readonly (readonly [way: string, base: JsonObject, table: Record<string, JsonObject>])[] = [
  ['chat completions to messages', { messages: [user] }, chat],
  ['chat completions to Ollama', { messages: [user] }, chat],
  ['messages to chat completions', { max_tokens: 9, messages: [user] }, messages],
  ['messages to Converse', { max_tokens: 9, messages: [user] }, messages],
  ['responses to chat completions', { input: 'hi' }, responses],
];

/** Members that are translated to other names or values, with the result. */
const becomes: Record<string, RegExp> = {
  'text.cache_control': /cache_control/,
  'tools.cache_control': /cache_control/,
  'tools.function.strict': /strict/,
  'tools.strict': /strict/,
  'tool_choice by name': /"tool_choice":\{"type":"tool","name":"f"\}/,
  'tool_result.is_error': /Error: x|"status":"error"/,
  redacted_thinking: /redactedContent/,
  // Ollama has a member for images in each message.
  'system image': /"images":\["AAAA"\]/,
};

describe.each(tables)('[chat.translated-members] %s', (way, base, table) => {
  test.each(Object.keys(table))('%s is translated, reported or refused', (name) => {
    let crossed: ReturnType<Crossing>;
    try {
      crossed = ways[way]!({
        model: 'm',
        ...base,
        ...bodyOf(table === responses ? 'input' : 'messages', table[name]!),
      });
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

  test('no member of an ordinary request is left out', () => {
    expect(ways[way]!({ model: 'm', ...base }).noted).toEqual([]);
  });
});

test('[chat.translated-members] no member of the history that clients send back is left out', () => {
  const history = [
    user,
    {
      role: 'assistant',
      content: 'x',
      refusal: null,
      annotations: [],
      audio: null,
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
      type: 'message',
      id: 'm',
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'x', annotations: [], logprobs: [] }],
    },
    { type: 'function_call', id: 'fc', status: 'completed', call_id: 'c', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c', output: 'y' },
  ];
  expect(ways['responses to chat completions']!({ model: 'm', input: items }).noted).toEqual([]);
});

describe('[chat.translated-members] Anthropic’s own rules', () => {
  const toAnthropic = (body: JsonObject) => ways['chat completions to messages']!({ model: 'm', ...body });
  const cached = (text: string) => ({ type: 'text', text, cache_control: { type: 'ephemeral' } });

  test.each([4, 6])('of %s breakpoints, the last four are sent and any others are reported', (count) => {
    const content = Array.from({ length: count - 1 }, (_, at) => cached(`part ${at}`));
    const { body, noted } = toAnthropic({
      messages: [{ role: 'user', content }],
      ...chatTool({ cache_control: { type: 'ephemeral' } }),
    });
    expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(4);
    expect(noted).toEqual(count > 4 ? ['cache_control'] : []);
    expect(JSON.stringify(body)).toContain(`{"type":"text","text":"part ${count - 2}","cache_control"`);
  });

  test('text without visible characters is dropped, and turns still alternate', () => {
    const { body } = toAnthropic({
      messages: [user, { role: 'assistant', content: ' \n' }, part({ type: 'text', text: ' ' }).messages[0]!, user],
    });
    expect(body).toMatchObject({ messages: [{ role: 'user', content: [{ text: 'hi' }, { text: 'hi' }] }] });
  });

  test('call ids that differ in one character remain distinct after translation', () => {
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

test('[chat.translated-members] Converse: a refusal names the message and the part by index', () => {
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

test.each(roles)(
  '[chat.translated-members] %s: an unknown role is refused by its index, and known roles are accepted',
  (way, allowed) => {
    const crossed = (role: string) =>
      ways[way]!({ model: 'm', max_tokens: 9, messages: [user, { role, content: 'x' }] });
    expect(() => crossed('narrator')).toThrow(
      `messages[1].role ("narrator") cannot be carried to the provider of this model; allowed: ${allowed}.`,
    );
    for (const role of allowed.split(', ')) expect(() => crossed(role)).not.toThrow();
  },
);

test.each(refused)(
  '[chat.translated-members] %s: a member that cannot be translated is refused by its path, case %#',
  (way, more, path) => {
    expect(() => ways[way]!({ model: 'm', max_tokens: 9, messages: [user], ...more })).toThrow(
      `${path} cannot be carried`,
    );
  },
);

test.each(['', ' ', [], undefined])(
  '[providers.converse-messages] an empty tool result is replaced with placeholder text, case %#',
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

test('[chat.translated-members] unsigned thinking, which Anthropic would refuse, is left out and reported', () => {
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
