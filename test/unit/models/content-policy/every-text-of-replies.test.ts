/** Filters check all text in replies and streams. */
import type { ChatCall } from '#core/chat/call.ts';
import { streamGate } from '#core/chat/stages/output-policy.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { dialects } from '#core/models/dialects/dialects.ts';
import { context, policyOf } from '../../../support/content-policy.ts';
import {
  anthropic,
  base64,
  block,
  decisionOnRequest,
  openai,
  picture,
  policy,
  text,
  user,
  words,
} from './texts-everywhere.ts';

const blockDelta = (delta: JsonObject): JsonObject => ({ type: 'content_block_delta', index: 0, delta });
const citation = (more: JsonObject): JsonObject[] => [
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  blockDelta({ type: 'citations_delta', citation: { type: 'char_location', ...more } }),
];
const chunk = (delta: JsonObject, more: JsonObject = {}): JsonObject[] => [
  { object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: null }], ...more },
];
const ran = (type: string, content: Json) => block({ type, tool_use_id: 'a', content });
const found = { type: 'web_search_result', title: words, url: 'u' };
const called = { tool_calls: [{ index: 0, id: 'a', function: { name: words, arguments: '' } }] };
const streams: readonly (readonly [string, keyof typeof dialects, JsonObject[]])[] = [
  ['a result of the provider’s search', 'anthropic', ran('web_search_tool_result', [found])],
  ['output of the provider’s code', 'anthropic', ran('code_execution_tool_result', { stdout: words })],
  ['a result of a server of the provider', 'anthropic', ran('mcp_tool_result', [text(words)])],
  ['cited text', 'anthropic', citation({ cited_text: words })],
  ['the title of a cited document', 'anthropic', citation({ document_title: words })],
  ['the name of a called tool', 'anthropic', block({ type: 'tool_use', id: 'a', name: words, input: {} })],
  ['the name of a called function', 'openai', chunk(called)],
  ['an annotation', 'openai', chunk({ annotations: [{ type: 'url_citation', url_citation: { title: words } }] })],
  ['an image with words', 'openai', chunk({ images: [{ image_url: { url: `https://x.example/?${words}` } }] })],
  ['citations beside the choices', 'openai', chunk({ content: 'a' }, { citations: [words] })],
  ['text of the older form', 'openai', [{ id: 'c', object: 'text_completion', choices: [{ index: 0, text: words }] }]],
];
const tokens = (spelled: readonly string[], asBytes = false): JsonObject => ({
  content: spelled.map((token) => {
    const bytes = asBytes ? [...Buffer.from(token)] : null;
    return { token: asBytes ? '?' : token, logprob: -1, bytes, top_logprobs: [] };
  }),
});
const tokenChunk = (logprobs: JsonObject): JsonObject => ({
  choices: [{ index: 0, delta: { content: 'a' }, logprobs, finish_reason: null }],
});
const both = (member: string) => [...chunk({ [member]: 'forbidden' }), ...chunk({ [member]: ' words' })];
const spelled = (asBytes: boolean) =>
  [
    ['forb', 'idden'],
    [' wor', 'ds'],
  ].map((each) => tokenChunk(tokens(each, asBytes)));
const deltas = (type: string, member: string) =>
  ['forbidden', ' words'].map((each) => blockDelta({ type, [member]: each }));
const transcripts = ['forb', 'idden words'].flatMap((transcript) => chunk({ audio: { transcript } }));
const running: readonly (readonly [string, keyof typeof dialects, JsonObject[]])[] = [
  ['reasoning', 'openai', both('reasoning')],
  ['a refusal', 'openai', [...chunk({ refusal: 'forb' }), ...chunk({ refusal: 'idden words' })]],
  ['a vendor’s own member', 'openai', both('thoughts')],
  ['a transcript', 'openai', transcripts],
  ['tokens', 'openai', spelled(false)],
  ['bytes of tokens', 'openai', spelled(true)],
  ['tokens of a refusal', 'openai', [tokenChunk({ refusal: tokens(['forbidden', ' words']).content! })]],
  ['thinking', 'anthropic', deltas('thinking_delta', 'thinking')],
  ['an unknown kind of delta', 'anthropic', deltas('compaction_delta', 'content')],
];
test.each(running)('[content.every-text] blocks forbidden text split across events: %s', async (_, dialect, events) => {
  const { decision, out } = await sent(dialect, events);
  expect([decision, /words|"wor|"ds"/.test(JSON.stringify(out))]).toEqual(['block', false]);
});
test.each(running)('[content.every-text] harmless events are sent unchanged: %s', async (_, dialect, events) => {
  const harmless = JSON.parse(
    JSON.stringify(events)
      .replaceAll('forb', 'harm')
      .replaceAll('idden', 'less')
      .replaceAll('[102,111,114,98]', '[104,97,114,109]'),
  ) as JsonObject[];
  expect(await sent(dialect, harmless)).toEqual({ decision: 'allow', out: harmless });
});
test('[content.every-text] tokens that spell out redacted text are removed, and other tokens are kept', async () => {
  const redacting = policyOf({ output: [{ name: 'pii', type: 'pii', action: 'redact', entities: ['email'] }] });
  const reply = (spelled: readonly string[]): JsonObject => ({
    choices: [{ index: 0, message: { content: 'ok' }, logprobs: tokens(spelled) }],
  });
  const telling = reply(['bob', '@exam', 'ple.com']);
  await redacting.checkOutput(openai.replyTexts(telling), context);
  expect(telling).toMatchObject({ choices: [{ logprobs: null }] });
  const fine = reply(['bob', ' ok']);
  await redacting.checkOutput(openai.replyTexts(fine), context);
  expect(fine).toEqual(reply(['bob', ' ok']));
  const spoken = { choices: [{ message: { audio: { transcript: 'bob@example.com', data: 'AAAA' } } }] };
  await redacting.checkOutput(openai.replyTexts(spoken), context);
  expect(spoken.choices[0]!.message.audio).toEqual({ transcript: '[REDACTED:EMAIL]', data: '' });
});
async function sent(dialect: keyof typeof dialects, events: readonly JsonObject[]) {
  const call = { wire: dialects[dialect], tenant: { id: 't' }, resolvedModel: 'm', snapshot: { configuration: {} } };
  const gate = streamGate(call as unknown as ChatCall, policy, '');
  const out: JsonObject[] = [];
  for (const event of events) out.push(...(await gate!.pass(structuredClone(event))));
  out.push(...(await gate!.end()));
  return { decision: gate!.verdict().decision, out };
}
test.each(streams)(
  '[content.every-text] blocks forbidden text in a stream before it is sent: %s',
  async (_, dialect, events) => {
    const { decision, out } = await sent(dialect, events);
    expect([decision, JSON.stringify(out).includes(words)]).toEqual(['block', false]);
  },
);
test('[content.every-text] a stream without tokens is sent unchanged', async () => {
  for (const [, dialect, events] of streams) {
    const harmless = JSON.parse(JSON.stringify(events).replaceAll(words, 'fine')) as JsonObject[];
    expect(await sent(dialect, harmless)).toEqual({ decision: 'allow', out: harmless });
  }
});
test.each<[string, keyof typeof dialects, JsonObject]>([
  ['citations', 'anthropic', { content: [{ ...text('a'), citations: [{ cited_text: words }] }] }],
  ['a tool’s name', 'anthropic', { content: [{ type: 'tool_use', id: 'a', name: words, input: {} }] }],
  [
    'search results beside the choices',
    'openai',
    { choices: [{ message: { content: 'a' } }], search_results: [{ snippet: words }] },
  ],
  ['a vendor’s own member', 'openai', { choices: [{ message: { content: 'a', notes: { deep: words } } }] }],
])('[content.every-text] blocks forbidden text in a non-streamed reply: %s', async (_, dialect, reply) => {
  const texts = (dialect === 'openai' ? openai : anthropic).replyTexts(reply);
  expect((await policy.checkOutput(texts, context)).decision).toBe('block');
});
test.each([
  ['a blank of Braille', 'forbidden\u2800words'],
  ['a filler of Hangul', 'forbidden\u3164words'],
  ['enclosing marks', 'f\u20ddo\u20ddrbidden w\u20e3ords'],
  ['letters in squares', '🅵🅾🆁🅱🅸🅳🅳🅴🅽 🆆🅾🆁🅳🆂'],
  ['letters in circles', '🅕🅞🅡🅑🅘🅓🅓🅔🅝 🅦🅞🅡🅓🅢'],
  ['flags', '🇫🇴🇷🇧🇮🇩🇩🇪🇳 🇼🇴🇷🇩🇸'],
])('[content.every-text] written with %s', async (_, written) => {
  expect(await decisionOnRequest('openai', user(written))).toBe('block');
  expect(await decisionOnRequest('openai', user(written.replace(/^\P{M}/u, '')))).toBe('allow');
});
test('[content.every-text] a text file keeps its encoding after redaction', async () => {
  const redacting = policyOf({ input: [{ name: 'pii', type: 'pii', action: 'redact', entities: ['email'] }] });
  const fileOf = async (file_data: string) => {
    const body = user([{ type: 'file', file: { file_data } }]);
    await redacting.checkInput(openai.requestTexts(body), context);
    return JSON.stringify(body).match(/"file_data":"([^"]*)"/)![1]!;
  };
  const inBase64 = await fileOf(`data:application/csv;base64,${base64('to,alice@example.com')}`);
  expect(inBase64).toMatch(/^data:application\/csv;base64,/);
  const said = Buffer.from(inBase64.slice(inBase64.indexOf(',') + 1), 'base64').toString();
  expect(said).toMatch(/^to,/);
  expect(said).not.toContain('alice');
  expect(await fileOf('data:text/plain,to%20alice@example.com')).toMatch(/^data:text\/plain,to%20(?!alice)/);
  expect(await fileOf(picture)).toBe(picture);
});
