/** Members that are translated between dialects: all rows of the tables. */

import * as z from 'zod';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { type Members, membersToAnthropic, membersToOpenai } from '#core/models/dialects/translate/members.ts';
import { translator } from '#core/models/dialects/translate/translate.ts';
import { converseInput, converseLeftOut } from '#core/models/providers/bedrock-request.ts';
import { membersToOllama, ollamaBody, ollamaLeftOut } from '#core/models/providers/ollama-request.ts';
import { object, readCases } from '../../../support/yaml.ts';
import { good, user } from './translating.ts';

const rows = z.array(z.tuple([z.string(), object, z.array(z.string())]));
const { chat, messages } = readCases(
  'test/unit/models/dialects/translated-members.yaml',
  z.strictObject({ chat: rows, messages: rows }),
);

interface Way {
  readonly members: Members;
  crossed(body: JsonObject): { body: JsonObject; noted: string[] };
}

const through = (from: 'openai' | 'anthropic', to: 'openai' | 'anthropic', members: Members): Way => ({
  members,
  crossed(body) {
    const noted: string[] = [];
    return { body: translator(from, to).request(body, (name) => noted.push(name)), noted };
  },
});
const call = (body: JsonObject) => ({
  model: 'm',
  body,
  stream: false,
  headers: {},
  signal: new AbortController().signal,
});
const ways: Record<string, Way> = {
  'chat completions to messages': through('openai', 'anthropic', membersToAnthropic),
  'messages to chat completions': through('anthropic', 'openai', membersToOpenai),
  'chat completions to Ollama': {
    members: membersToOllama,
    crossed: (body) => ({ noted: ollamaLeftOut(body), body: ollamaBody(call(body)) }),
  },
};

/** Values that request something, by member; all other members use a string. */
const asking: Record<string, Json> = {
  n: 2,
  logprobs: true,
  top_logprobs: 2,
  logit_bias: { 5: -100 },
  functions: [{ name: 'f' }],
  store: true,
  modalities: ['text', 'audio'],
  audio: { voice: 'alloy' },
  web_search_options: {},
  service_tier: 'flex',
  frequency_penalty: 1,
  presence_penalty: 1,
  thinking: { type: 'enabled', budget_tokens: 9 },
  speed: 'fast',
  mcp_servers: [{ url: 'https://x.example', authorization_token: 'tok' }],
  seed: 1,
  parallel_tool_calls: false,
};
/** Values that request nothing. */
const neutral: Record<string, Json> = {
  n: 1,
  logprobs: false,
  top_logprobs: 0,
  logit_bias: {},
  functions: [],
  store: false,
  modalities: ['text'],
  service_tier: 'auto',
  frequency_penalty: 0,
  presence_penalty: 0,
  thinking: { type: 'disabled' },
  speed: 'standard',
  mcp_servers: [],
  parallel_tool_calls: true,
};

describe.each(Object.keys(ways))('[chat.translated-members] %s', (name) => {
  const { members, crossed } = ways[name]!;
  const rows = (is: string) => Object.keys(members).filter((member) => members[member]!.is === is);
  const askedOf = (member: string) => asking[member] ?? 'asked';

  test.each(rows('refused'))(
    '%s is refused by name, and the error lists the allowed values and does not repeat the value',
    (member) => {
      const body = { ...good, [member]: askedOf(member) };
      const refusal = (work: () => unknown) => {
        try {
          return work();
        } catch (thrown) {
          return (thrown as { refusal?: unknown }).refusal ?? thrown;
        }
      };
      const error = refusal(() => crossed(body)) as { code: string; message: string; data: object };
      expect(error).toMatchObject({
        code: 'invalid_request',
        data: { param: member, reason: 'unsupported_parameter' },
        message: expect.stringContaining(`allowed: ${members[member]!.allowed}`),
      });
      expect(error.message).not.toMatch(/asked|\btok\b|alloy/);
    },
  );

  test.each(rows('left out'))('%s is left out and reported by name', (member) => {
    const { body, noted } = crossed({ ...good, [member]: askedOf(member) });
    expect(noted).toEqual([member]);
    expect(body).not.toHaveProperty(member);
  });

  test.each(Object.keys(members).filter((member) => member in neutral))(
    'a neutral value of %s is not reported',
    (member) => {
      for (const value of [neutral[member]!, null]) expect(crossed({ ...good, [member]: value }).noted).toEqual([]);
    },
  );

  test('supported members are passed through unchanged', () => {
    for (const member of rows('carried')) {
      const { body, noted } = crossed({ ...good, [member]: askedOf(member) });
      expect([member, body[member], noted]).toEqual([member, askedOf(member), []]);
    }
  });

  test('unknown members are passed through unchanged', () => {
    const { body, noted } = crossed({ ...good, later: { a: 1 }, toString: 'x' } as unknown as JsonObject);
    expect([body.later, noted]).toEqual([{ a: 1 }, []]);
  });
});

describe('[chat.translated-members] parts of members', () => {
  const toAnthropic = (more: JsonObject) => ways['chat completions to messages']!.crossed({ ...good, ...more }).noted;
  const toOpenai = (more: JsonObject) => ways['messages to chat completions']!.crossed({ ...good, ...more });

  test.each(chat)('chat completions: %s', (_, more, noted) => {
    expect(toAnthropic(more)).toEqual(noted);
  });

  test.each<[string, JsonObject]>([
    ['response_format', { response_format: { type: 'json_object' } }],
    ['messages[0].audio', { messages: [{ role: 'assistant', content: null, audio: { id: 'a' } }] }],
  ])('chat completions: %s is refused', (param, more) => {
    expect(() => toAnthropic(more)).toThrow(
      expect.objectContaining({ data: { param, reason: 'unsupported_parameter' } }),
    );
  });

  test.each(messages)('messages: %s', (_, more, noted) => {
    expect(toOpenai(more).noted).toEqual(noted);
  });

  test('messages: citations are refused, and the older output_format name is accepted', () => {
    const source = { type: 'text', media_type: 'text/plain', data: 'x' };
    const content = (citations: JsonObject) => [{ role: 'user', content: [{ type: 'document', source, citations }] }];
    expect(() => toOpenai({ messages: content({ enabled: true }) })).toThrow('messages[0].content[0].citations');
    expect(toOpenai({ messages: content({ enabled: false }) }).noted).toEqual([]);
    const schema = { type: 'object' };
    expect(toOpenai({ output_format: { type: 'json_schema', schema } }).body.response_format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'output', schema },
    });
  });
});

describe('[chat.translated-members] Ollama', () => {
  const tools = ['a', 'b'].map((name) => ({ type: 'function', function: { name } }));
  const body = (more: JsonObject) => ollamaBody(call({ ...good, ...more }));

  test('a tool choice narrows the list of tools, and a forced call is reported as unsupported', () => {
    expect(body({ tools, tool_choice: 'none' })).not.toHaveProperty('tools');
    expect(body({ tools, tool_choice: 'auto' }).tools).toEqual(tools);
    const tool_choice = { type: 'function', function: { name: 'b' } };
    expect(body({ tools, tool_choice }).tools).toEqual([tools[1]]);
    expect(ollamaLeftOut({ ...good, tools, tool_choice })).toEqual(['tool_choice']);
    expect(ollamaLeftOut({ ...good, tools, tool_choice: 'none' })).toEqual([]);
  });

  test('audio or a file is refused instead of dropped', () => {
    const content = [{ type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }];
    expect(() => body({ messages: [{ role: 'user', content }] })).toThrow('input_audio');
  });
});

describe('[chat.translated-members] Converse', () => {
  const tools = [{ name: 't', input_schema: { type: 'object' }, strict: true }];
  const input = (more: JsonObject) => converseInput(call({ ...good, ...more }));

  test('members without a Converse equivalent are reported', () => {
    const more = { tools, metadata: { user_id: 'u' }, tool_choice: { type: 'auto', disable_parallel_tool_use: true } };
    expect(converseLeftOut({ ...good, ...more })).toEqual([
      'metadata',
      'tool_choice.disable_parallel_tool_use',
      'tools.strict',
    ]);
    expect(converseLeftOut(good)).toEqual([]);
  });

  test('tool_choice none removes the tools, and is refused if the history contains tool calls', () => {
    expect(input({ tools, tool_choice: { type: 'none' } })).not.toHaveProperty('toolConfig');
    const called = { role: 'assistant', content: [{ type: 'tool_use', id: 'x', name: 't', input: {} }] };
    expect(() => input({ tools, tool_choice: { type: 'none' }, messages: [user, called] })).toThrow('tool_choice');
  });
});
