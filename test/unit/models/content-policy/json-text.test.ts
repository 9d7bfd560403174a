/**
 * Tool call arguments: JSON text that is decoded before it is checked, complete and in streams, and that stays valid
 * JSON.
 */
import * as z from 'zod';
import type { ChatCall } from '#core/chat/call.ts';
import { streamGate } from '#core/chat/stages/output-policy.ts';
import type { ContentFilter } from '#core/contracts/config.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { decodedJson } from '#core/models/content-policy/json-spelling.ts';
import { dialects } from '#core/models/dialects/dialects.ts';
import { context, cutAt, policyOf } from '../../../support/content-policy.ts';
import { readCases } from '../../../support/yaml.ts';

const { harmless, redactions } = readCases(
  'test/unit/models/content-policy/json-text.yaml',
  z.strictObject({ harmless: z.array(z.string()), redactions: z.array(z.tuple([z.string(), z.string()])) }),
);

const block = { name: 'no', action: 'block' } as const;
const words: ContentFilter = { ...block, type: 'keyword', keywords: ['forbidden words', 'a/b'] };
const pattern: ContentFilter = { ...block, type: 'regex', patterns: ['drop\\s+table'] };
const redacting: ContentFilter = {
  name: 'pii',
  type: 'pii',
  action: 'redact',
  entities: ['email', 'credit_card', 'phone', 'api_key'],
};

type Policy = ReturnType<typeof policyOf>;

function streamed(policy: Policy, pieces: readonly string[]) {
  const scan = policy.streamOutput(context);
  const released = pieces.map((piece) => scan.push('0', piece, true) as string).join('') + (scan.end('0') as string);
  return { released, decision: scan.verdict().decision };
}

async function whole(policy: Policy, text: string) {
  let left = text;
  const slot = {
    text,
    json: true,
    set: (changed: string) => {
      left = changed;
    },
  };
  const { decision } = await policy.checkOutput([slot], context);
  return { released: left, decision };
}

function* allCuts(text: string): Iterable<string[]> {
  yield [text];
  yield text.split('');
  for (let cut = 1; cut < text.length; cut++) yield cutAt(text, [cut]);
}

const hidden: readonly (readonly [how: string, filter: ContentFilter, json: string])[] = [
  ['a code unit', words, '{"q":"f\\u006frbidden words"}'],
  ['code units in capitals', words, '{"q":"\\u0046\\u004F\\u0052bidden words"}'],
  ['an escaped slash', words, '{"q":"a\\/b"}'],
  ['an escaped end of line', words, '{"q":"forbidden\\nwords"}'],
  ['an escaped tab', pattern, '{"q":"drop\\ttable x"}'],
  ['an escaped look-alike', words, '{"q":"f\\u043erbidden words"}'],
  ['an escaped invisible character', words, '{"q":"for\\u200bbidden words"}'],
  ['a pair of surrogates', words, '{"q":"\\ud835\\udc1forbidden words"}'.replace('\\udc1f', '\\udc1f')],
  ['JSON within JSON', words, '{"body":"{\\"q\\":\\"f\\\\u006frbidden words\\"}"}'],
  ['the name of a member', words, '{"f\\u006frbidden words":1}'],
];

test.each(hidden)('[content.every-text] found: %s', async (_, filter, json) => {
  const policy = policyOf({ output: [filter] });
  expect((await whole(policy, json)).decision).toBe('block');
  for (const cut of allCuts(json)) {
    const { released, decision } = streamed(policy, cut);
    expect(decision).toBe('block');
    expect(decodedJson(released)).not.toMatch(/bidden words|a\/b|table/);
  }
});

test.each(harmless)('[content.every-text] passes unchanged: %s', async (json) => {
  const policy = policyOf({ output: [words, pattern, redacting] });
  expect(await whole(policy, json)).toEqual({ released: json, decision: 'allow' });
  for (const cut of allCuts(json)) expect(streamed(policy, cut)).toEqual({ released: json, decision: 'allow' });
});

test.each(redactions)('[content.every-text] redacted JSON is still valid: %s', async (json, redacted) => {
  const policy = policyOf({ output: [redacting] });
  expect((await whole(policy, json)).released).toBe(redacted);
  expect(() => JSON.parse(redacted)).not.toThrow();
  for (const cut of allCuts(json)) expect(streamed(policy, cut).released).toBe(redacted);
});

async function sent(dialect: keyof typeof dialects, policy: Policy, events: readonly JsonObject[]) {
  const call = { wire: dialects[dialect], tenant: { id: 't' }, resolvedModel: 'm', snapshot: { configuration: {} } };
  const gate = streamGate(call as unknown as ChatCall, policy, '')!;
  const out: JsonObject[] = [];
  for (const event of events) out.push(...(await gate.pass(structuredClone(event))));
  out.push(...(await gate.end()));
  return { decision: gate.verdict().decision, out };
}

const openaiEvents = (pieces: readonly string[]): JsonObject[] => [
  ...pieces.map((piece) => ({
    choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: piece } }] }, finish_reason: null }],
  })),
  { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
];
const anthropicEvents = (pieces: readonly string[]): JsonObject[] => [
  { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'a', name: 'f', input: {} } },
  ...pieces.map((partial_json) => ({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'input_json_delta', partial_json },
  })),
  { type: 'content_block_stop', index: 0 },
];
const argumentsIn = (out: readonly JsonObject[]): string =>
  [...JSON.stringify(out).matchAll(/"(?:arguments|partial_json)":("(?:[^"\\]|\\.)*")/g)]
    .map(([, text]) => JSON.parse(text!))
    .join('');

test.each([
  ['openai', openaiEvents],
  ['anthropic', anthropicEvents],
] as const)(
  '[content.every-text] %s: an escape sequence split between events is still decoded',
  async (dialect, events) => {
    const pieces = ['{"q":"f\\u00', '6frbidden', ' words"}'];
    expect((await sent(dialect, policyOf({ output: [words] }), events(pieces))).decision).toBe('block');
    const redacted = await sent(
      dialect,
      policyOf({ output: [redacting] }),
      events(['{"to":"bob\\u0', '040example.com","n":[1', ',2]}']),
    );
    expect(argumentsIn(redacted.out)).toBe('{"to":"[REDACTED:EMAIL]","n":[1,2]}');
    const fine = ['{"q":"\\u00', 'e9 and \\"x', '\\""}'];
    expect(argumentsIn((await sent(dialect, policyOf({ output: [words, redacting] }), events(fine))).out)).toBe(
      fine.join(''),
    );
  },
);

test('[content.every-text] arguments in the first event of a block are still an object after redaction', async () => {
  const input = { a: 'b c d', to: 'bob@example.com' };
  const events = [
    { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'a', name: 'f', input } },
  ];
  const { out } = await sent('anthropic', policyOf({ output: [redacting] }), events as unknown as JsonObject[]);
  expect(out[0]).toMatchObject({ content_block: { input: { a: 'b c d', to: '[REDACTED:EMAIL]' } } });
});

test('[content.every-text] finds words separated by an escaped newline in requests, and forwards the body unchanged', async () => {
  const policy = policyOf({ input: [words] });
  const call = (args: string): JsonObject => ({
    role: 'assistant',
    tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: args } }],
  });
  const decide = async (body: JsonObject) =>
    (await policy.checkInput(dialects.openai.requestTexts(body), context)).decision;
  expect(await decide({ model: 'm', messages: [call('{"q":"forbidden\\nwords"}')] })).toBe('block');
  const fine = { model: 'm', messages: [call('{"q":"\\u00e9 forbidden"}')] };
  const before = structuredClone(fine);
  expect(await decide(fine)).toBe('allow');
  expect(fine).toEqual(before);
});
