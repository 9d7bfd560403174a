/** Filters see every text of requests, and text that spans several parts. */

import type { Json, JsonObject } from '#core/kernel/json.ts';
import type { dialects } from '#core/models/dialects/dialects.ts';
import { context, policyOf } from '../../../support/content-policy.ts';
import { base64, decisionOnRequest, openai, picture, text, user, words } from './texts-everywhere.ts';

const inTool = (more: JsonObject): JsonObject => ({
  ...user('hi'),
  tools: [{ type: 'function', function: { name: 'f', ...more } }],
});
const said = (role: string, content: Json, more: JsonObject = {}): JsonObject => ({ role, content, ...more });
const body = (...messages: JsonObject[]): JsonObject => ({ model: 'm', messages });
const turn = body(said('assistant', 'hi'), said('user', 'a'), said('user', [text('forbidden')]), said('user', 'words'));
const named = { function: { name: 'f', arguments: '{"q":"f\\u006frbidden words"}' } };
const document = (media_type: string, data: string) =>
  user([{ type: 'document', source: { type: 'base64', media_type, data } }]);
const file = (file_data: string, filename = 'a.txt') => user([{ type: 'file', file: { filename, file_data } }]);
const requests: readonly (readonly [string, keyof typeof dialects, JsonObject])[] = [
  ['two parts of one message', 'openai', user([text('forbidden wo'), text('rds')])],
  ['two parts on lines of their own', 'openai', user([text('forbidden'), text('words')])],
  ['three parts', 'anthropic', user([text('forb'), text('idden wor'), text('ds')])],
  [
    'the ends of two long parts',
    'openai',
    user([text(`${'a '.repeat(2000)}forbidden`), text(`words ${'b '.repeat(2000)}`)]),
  ],
  ['messages of one role that follow each other', 'openai', turn],
  ['messages of one role that follow each other', 'anthropic', turn],
  ['two system blocks', 'anthropic', { ...user('hi'), system: [text('forbidden'), text('words')] }],
  ['the name of who speaks', 'openai', { model: 'm', messages: [{ role: 'user', name: words, content: 'hi' }] }],
  ['the name of a tool', 'openai', inTool({ name: words })],
  ['the name of a parameter', 'openai', inTool({ parameters: { properties: { [words]: {} } } })],
  ['a value of an enumeration', 'openai', inTool({ parameters: { properties: { a: { enum: ['b', words] } } } })],
  ['a default', 'openai', inTool({ parameters: { properties: { a: { default: { deep: [words] } } } } })],
  ['the name of a response schema', 'openai', { ...user('hi'), response_format: { json_schema: { name: words } } }],
  ['an example of a tool', 'anthropic', { ...user('hi'), tools: [{ name: 'f', input_examples: [{ q: words }] }] }],
  ['the source of a search result', 'anthropic', user([{ type: 'search_result', source: words, title: 't' }])],
  [
    'escaped arguments of a call',
    'openai',
    body({ role: 'assistant', tool_calls: [{ id: 'a', type: 'function', ...named }] }),
  ],
  ['a text file in base64', 'anthropic', document('text/plain', base64(`a ${words}`))],
  ['a text file as a data URL', 'openai', file(`data:text/plain;base64,${base64(words)}`)],
  ...[
    ['without saying so', base64(words)],
    ['in other letters', `DATA:Text/Plain;BASE64,${base64(words)}`],
    ['with a quoted charset', `data:text/plain;charset="utf-8";base64,${base64(words)}`],
    ['with a blank before base64', `data:text/plain; base64,${base64(words)}`],
    ['on several lines', `data:text/plain;base64,${base64(words).replace(/.{4}/g, '$&\n')}`],
    ['that is not in base64', `data:text/plain,${encodeURIComponent(words)}`],
    ['that is not in base64 and malformed', `data:text/plain,%E0%${encodeURIComponent(words)}`],
    ['of bytes', `data:application/octet-stream;base64,${base64(words)}`],
    ['of a script', `data:application/javascript;base64,${base64(`// ${words}`)}`],
    ['of a page', `data:application/xhtml+xml;base64,${base64(`<p>${words}</p>`)}`],
    ['of a table', `data:application/csv;base64,${base64(`a,${words}`)}`],
    ['of a drawing', `data:image/svg+xml;base64,${base64(`<svg><text>${words}</text></svg>`)}`],
    ['with a byte that is no UTF-8', `data:a/b;base64,${Buffer.from(`caf\xe9 ${words}`, 'latin1').toString('base64')}`],
    ['in UTF-16', `data:a/b;base64,${Buffer.from(`\ufeff${words}`, 'utf16le').toString('base64')}`],
  ].map(([name, data = '']): (typeof requests)[number] => [`a text file ${name}`, 'openai', file(data)]),
  ['words where a file should be', 'openai', user([{ type: 'file', file: { file_data: `data:a/b;base64,${words}` } }])],
  ...['TEXT/plain', 'application/pdf', 'image/svg+xml'].map((type): (typeof requests)[number] => [
    ...([`a text file called ${type}`, 'anthropic', document(type, base64(words))] as const),
  ]),
  ['the name of a member of an unknown part', 'openai', user([{ type: 'memo', [words]: 1 }])],
  ['a member nobody knows', 'openai', { ...user('hi'), documents: [{ body: words }] }],
  ['a text member nobody knows', 'openai', { ...user('hi'), chat_template: `{{ ${words} }}` }],
  ['the name of an unknown member', 'openai', { ...user('hi'), extra: { [words]: 1 } }],
  ['a part nobody knows', 'openai', user([{ type: 'memo', memo: { lines: [words] } }])],
  ['metadata', 'anthropic', { ...user('hi'), metadata: { note: words } }],
];
test.each(requests)('[content.every-text] in a request: %s', async (_, dialect, body) => {
  expect(await decisionOnRequest(dialect, body)).toBe('block');
});
test.each<[string, keyof typeof dialects, JsonObject]>([
  ['words of two messages', 'openai', body(said('user', 'forbidden'), said('assistant', 'words'))],
  [
    'results of two tools',
    'openai',
    body(said('tool', 'forbidden', { tool_call_id: 'a' }), said('tool', 'words', { tool_call_id: 'b' })),
  ],
  [
    'an image',
    'openai',
    user([text('look'), { type: 'image_url', image_url: { url: `data:image/png;base64,${picture}` } }]),
  ],
  ['a file that is a picture', 'openai', file(picture, 'a')],
  ['a document with pages', 'anthropic', document('application/pdf', picture)],
  [
    'a signature',
    'anthropic',
    body(said('assistant', [{ type: 'thinking', thinking: 'a', signature: base64(words) }])),
  ],
  ['a schema without them', 'openai', inTool({ parameters: { properties: { forbidden: { enum: ['words'] } } } })],
])('[content.every-text] the neighbour passes: %s', async (_, dialect, body) => {
  expect(await decisionOnRequest(dialect, body)).toBe('allow');
});
test('[content.every-text] personal data split over parts blocks, because it cannot be redacted', async () => {
  const redacting = policyOf({ input: [{ name: 'pii', type: 'pii', action: 'redact', entities: ['email'] }] });
  const body = user([text('write to alice@exam'), text('ple.com today')]);
  expect((await redacting.checkInput(openai.requestTexts(body), context)).decision).toBe('block');
  const whole = user([text('write to alice@example.com'), text('today')]);
  expect((await redacting.checkInput(openai.requestTexts(whole), context)).decision).toBe('allow');
  expect(JSON.stringify(whole)).not.toContain('alice@');
});
