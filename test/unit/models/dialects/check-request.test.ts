/** What is refused at the handler, with path, what was found and what is allowed; and what passes. */

import type { JsonObject } from '#core/kernel/json.ts';
import { dialects } from '#core/models/dialects/dialects.ts';
import { readEndpointRequest } from '#core/models/dialects/endpoint-request.ts';
import { readResponsesRequest } from '#core/models/dialects/responses/request.ts';

const { openai, anthropic } = dialects;
const user = { role: 'user', content: 'hi' };
const good = { model: 'm', messages: [user] };

const refusedByBoth: [string, JsonObject, string][] = [
  ['model missing', { messages: [user] }, 'model is missing'],
  ['model empty', { ...good, model: '' }, 'model is an empty text'],
  ['model no text', { ...good, model: 7 }, 'model is 7'],
  ['model too long', { ...good, model: 'm'.repeat(257) }, 'model is a text of 257 characters'],
  ...[' m', 'm ', 'm\n', 'm\u200b', 'm\u00ad', '\u2060m', 'm\u0000', 'm\u3000', 'm\ufe0f'].map(
    (model): [string, JsonObject, string] => [
      `[limit.model-name] the model ${JSON.stringify(model)}`,
      { ...good, model },
      'characters that are not visible',
    ],
  ),
  ['messages missing', { model: 'm' }, 'messages is missing'],
  ['a body of responses', { model: 'm', input: 'hi', instructions: 'x' }, 'input belongs to /v1/responses'],
  ["a body of Gemini's", { model: 'm', contents: [] }, "contents belongs to Gemini's API"],
  ['a body of completions', { model: 'm', prompt: 'hi' }, 'prompt belongs to /v1/completions'],
  ['messages no array', { ...good, messages: { role: 'user' } }, 'messages is an object'],
  ['messages empty', { ...good, messages: [] }, 'messages is an empty array'],
  ['message no object', { ...good, messages: ['hi'] }, 'messages[0] is a text of 2 characters'],
  ['role missing', { ...good, messages: [{ content: 'hi' }] }, 'messages[0].role is missing'],
  ['role no text', { ...good, messages: [user, { role: 1, content: 'x' }] }, 'messages[1].role is 1'],
  ['content missing', { ...good, messages: [{ role: 'user' }] }, 'messages[0].content is missing'],
  ['content null', { ...good, messages: [{ role: 'user', content: null }] }, 'messages[0].content is null'],
  ['content number', { ...good, messages: [{ role: 'user', content: 5 }] }, 'messages[0].content is 5'],
  ['content empty', { ...good, messages: [{ role: 'user', content: [] }] }, 'messages[0].content is an empty array'],
  ['part no object', { ...good, messages: [{ role: 'user', content: ['x'] }] }, 'messages[0].content[0] is a text'],
  [
    'part without type',
    { ...good, messages: [{ role: 'user', content: [{}] }] },
    'messages[0].content[0].type is missing',
  ],
  [
    'text part without text',
    { ...good, messages: [{ role: 'user', content: [{ type: 'text', text: {} }] }] },
    'messages[0].content[0].text is an object',
  ],
  ['stream no boolean', { ...good, stream: 'true' }, 'stream is a text of 4 characters'],
  ['max_tokens negative', { ...good, max_tokens: -1 }, 'max_tokens is -1'],
  ['max_tokens zero', { ...good, max_tokens: 0 }, 'max_tokens is 0'],
  ['max_tokens fraction', { ...good, max_tokens: 1.5 }, 'max_tokens is 1.5'],
  ['max_tokens NaN', { ...good, max_tokens: Number.NaN }, 'max_tokens is NaN'],
  ['max_tokens beyond any count', { ...good, max_tokens: 9_007_199_254_740_991 }, 'a whole number from 1 to 100000000'],
  ['max_tokens text', { ...good, max_tokens: '5' }, 'max_tokens is a text'],
  ['temperature text', { ...good, temperature: 'hot' }, 'temperature is a text'],
  ['top_p infinite', { ...good, top_p: Number.POSITIVE_INFINITY }, 'top_p is Infinity'],
  ['tools no array', { ...good, tools: {} }, 'tools is an object'],
  ['tool no object', { ...good, tools: [{}, null] }, 'tools[1] is null'],
];

describe.each([openai, anthropic])('$name', (dialect) => {
  test.each(refusedByBoth)('refuses: %s', (_, body, message) => {
    expect(() => dialect.checkRequest(body)).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining(message) }),
    );
  });

  test('[chat.unknown-fields] what it does not know passes, and so does null for what is optional', () => {
    const body = { ...good, stream: null, max_tokens: null, temperature: null, tools: null, later: { a: [1] } };
    expect(() => dialect.checkRequest(body)).not.toThrow();
    expect(() =>
      dialect.checkRequest({ ...good, messages: [{ role: 'narrator', content: [{ type: 'hologram' }] }] }),
    ).not.toThrow();
  });

  test('an error never repeats what a prompt says, and names the member', () => {
    try {
      dialect.checkRequest({
        ...good,
        messages: [{ role: 'user', content: [{ type: 'text', text: 1 }, 'my secret'] }],
      });
    } catch (error) {
      expect(String(error)).not.toContain('secret');
      expect(error).toMatchObject({ data: { param: 'messages[0].content[0].text' } });
    }
    expect.assertions(2);
  });
});

test.each<[string, JsonObject, string]>([
  ['n', { ...good, n: 0 }, 'n is 0; allowed is a whole number from 1 to 128'],
  ['n', { ...good, n: 129 }, 'n is 129'],
  ['max_completion_tokens', { ...good, max_completion_tokens: -5 }, 'max_completion_tokens is -5'],
  ['stream_options', { ...good, stream_options: true }, 'stream_options is true'],
  ['tool_calls', { ...good, messages: [{ role: 'assistant', tool_calls: 'x' }] }, 'messages[0].tool_calls is a text'],
])('openai refuses a wrong %s', (_, body, message) => {
  expect(() => openai.checkRequest(body)).toThrow(message);
});

test('openai: an assistant may be silent', () => {
  for (const content of [null, undefined, []])
    expect(() =>
      openai.checkRequest({
        ...good,
        messages: [user, { role: 'assistant', content: content!, tool_calls: [{ id: 'a' }] }],
      }),
    ).not.toThrow();
});

test('anthropic: system is a text or blocks; results of tools have content of their own', () => {
  for (const system of ['be kind', [{ type: 'text', text: 'be kind' }], null])
    expect(() => anthropic.checkRequest({ ...good, system })).not.toThrow();
  for (const system of [5, {}, ['x'], [{ type: 'text' }]])
    expect(() => anthropic.checkRequest({ ...good, system })).toThrow(/^system/);
  const result = (content: JsonObject[string]) => ({
    ...good,
    messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content }] }],
  });
  for (const content of ['done', null, [{ type: 'text', text: 'done' }]])
    expect(() => anthropic.checkRequest(result(content))).not.toThrow();
  expect(() => anthropic.checkRequest(result([{ text: 'done' }]))).toThrow(
    'messages[0].content[0].content[0].type is missing',
  );
});

describe.each([openai, anthropic])('[chat.own-spelling] $name', (dialect) => {
  test.each<[string, JsonObject, string]>([
    ['another model', { ...good, Model: 'x' }, '"Model" differs from model in case only'],
    ['another bound', { ...good, max_tokens: 1, Max_Tokens: 9 }, 'allowed is max_tokens, once'],
    ['tools', { ...good, TOOLS: [] }, 'tools'],
    ['servers', { ...good, MCP_servers: [] }, 'mcp_servers'],
    ['the Kelvin sign', { ...good, 'max_to\u212aens': 9 }, 'max_tokens'],
    ['the long s', { ...good, '\u017ftream': true }, 'stream'],
    ['options', { ...good, options: { Num_Predict: 9 } }, 'options."Num_Predict"'],
    ['a role', { ...good, messages: [{ ...user, Role: 'system' }] }, 'messages[0]."Role" differs from role'],
    [
      'a part',
      { ...good, messages: [{ role: 'user', content: [{ type: 'text', text: 'a', Text: 'b' }] }] },
      'content[0]."Text"',
    ],
    [
      'a result',
      {
        ...good,
        messages: [
          { role: 'user', content: [{ type: 'tool_result', content: [{ type: 'text', text: 'a', TEXT: 'b' }] }] },
        ],
      },
      'content[0].content[0]."TEXT"',
    ],
    [
      'a call',
      { ...good, messages: [{ role: 'assistant', content: 'a', tool_calls: [{ id: 'a', Function: {} }] }] },
      'tool_calls[0]."Function"',
    ],
    ['a tool', { ...good, tools: [{ name: 'a', Type: 'web_search' }] }, 'tools[0]."Type"'],
  ])('refuses %s', (_, body, message) => {
    expect(() => dialect.checkRequest(body)).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining(message) }),
    );
  });

  test.each<[string, JsonObject]>([
    ['unknown members in any case', { ...good, chatTemplateKwargs: {}, maxTokensPerDay: 1, X: 1 }],
    [
      'names of schemas, arguments and metadata',
      {
        ...good,
        metadata: { Model: 'a', Name: 'b' },
        tools: [{ name: 'a', input_schema: { properties: { Type: {}, Name: {} } } }],
        messages: [
          {
            role: 'assistant',
            content: [{ type: 'tool_use', id: 'a', name: 'a', input: { Type: 'x', Content: 'y' } }],
          },
        ],
      },
    ],
    ['options of their own', { ...good, options: { Temperature: 1 } }],
  ])('lets pass: %s', (_, body) => {
    expect(() => dialect.checkRequest(body)).not.toThrow();
  });
});

test.each(['m', 'gpt-4.1', 'meta/llama 3:8b', 'Größe', 'mistral@eu'])(
  '[limit.model-name] %s is a name of a model',
  (model) => {
    for (const dialect of [openai, anthropic]) expect(() => dialect.checkRequest({ ...good, model })).not.toThrow();
  },
);

describe('the refusal of a body at the wrong endpoint names the one that takes it', () => {
  const refusedAs = (read: () => unknown, param: string, message: string) =>
    expect(read).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining(message), data: { param } }),
    );

  test.each([
    [{ model: 'm', messages: [], input: 'hi' }, 'input', 'input belongs to /v1/responses'],
    [{ model: 'm', messages: null, prompt: 'hi' }, 'prompt', 'prompt belongs to /v1/completions'],
  ])('chat completions and messages: %j', (body, param, message) => {
    for (const dialect of [openai, anthropic]) refusedAs(() => dialect.checkRequest(body), param, message);
  });

  test.each([
    [{ model: 'm', input: null, messages: [user] }, 'messages', 'messages belongs to /v1/chat/completions'],
    [{ model: 'm', input: [], messages: [user] }, 'messages', 'input is empty'],
    [{ model: 'm', prompt: 'hi' }, 'prompt', 'prompt belongs to /v1/completions'],
    [{ model: 'm', contents: [{}] }, 'contents', "contents belongs to Gemini's API"],
  ])('responses: %j', (body, param, message) => {
    refusedAs(() => readResponsesRequest(body), param, message);
  });

  test.each([
    ['completions', { model: 'm', input: 'hi' }, 'input', 'input belongs to /v1/responses'],
    ['embeddings', { model: 'm', prompt: 'hi' }, 'prompt', 'prompt belongs to /v1/completions'],
    ['embeddings', { model: 'm', messages: [user] }, 'messages', 'messages belongs to /v1/chat/completions'],
  ] as const)('%s: %j', (name, body, param, message) => {
    refusedAs(() => readEndpointRequest(name, body as unknown as JsonObject), param, message);
  });

  test('members of other endpoints pass where the own one is given, and a prompt template keeps its own refusal', () => {
    expect(() => openai.checkRequest({ ...good, input: 'x', prompt: 'y' })).not.toThrow();
    expect(readEndpointRequest('completions', { model: 'm', prompt: 'x', messages: null }).messages).toHaveLength(1);
    expect(() => readResponsesRequest({ model: 'm', prompt: { id: 'p' } })).toThrow(/outside of the gateway/);
  });
});
