/** Filters look at every text of requests, replies and streams, wherever it stands, and at what stands across parts. */
import type { ChatCallState } from '#core/chat/call-state.ts';
import { streamGate } from '#core/chat/stages/output-policy.ts';
import type { ContentFilter } from '#core/contracts/config.ts';
import { dialects } from '#core/dialects/dialects.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { context, policyOf } from '../../support/content-policy.ts';

const words = 'forbidden words';
const filter: ContentFilter = { name: 'words', type: 'keyword', action: 'block', keywords: [words] };
const policy = policyOf({ input: [filter], output: [filter] });
const { openai, anthropic } = dialects;

const decisionOnRequest = async (dialect: keyof typeof dialects, body: JsonObject) =>
  (await policy.checkInput(dialects[dialect].requestTexts(structuredClone(body)), context)).decision;

const user = (content: Json): JsonObject => ({ model: 'm', messages: [{ role: 'user', content }] });
const text = (text: string): JsonObject => ({ type: 'text', text });
const inTool = (more: JsonObject): JsonObject => ({
  ...user('hi'),
  tools: [{ type: 'function', function: { name: 'f', ...more } }],
});
const base64 = (value: string) => Buffer.from(value).toString('base64');
/** A picture whose comment holds the words: its bytes are no text. */
const picture = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13]), Buffer.from(words)]).toString(
  'base64',
);

const turn: JsonObject = {
  model: 'm',
  messages: [
    { role: 'assistant', content: 'hi' },
    { role: 'user', content: 'a' },
    { role: 'user', content: [text('forbidden')] },
    { role: 'user', content: 'words' },
  ],
};

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
  [
    'the name of a response schema',
    'openai',
    { ...user('hi'), response_format: { type: 'json_schema', json_schema: { name: words } } },
  ],
  ['an example of a tool', 'anthropic', { ...user('hi'), tools: [{ name: 'f', input_examples: [{ q: words }] }] }],
  [
    'the source of a search result',
    'anthropic',
    user([{ type: 'search_result', source: words, title: 't', content: [] }]),
  ],
  [
    'escaped arguments of a call',
    'openai',
    {
      model: 'm',
      messages: [
        {
          role: 'assistant',
          tool_calls: [
            { id: 'a', type: 'function', function: { name: 'f', arguments: '{"q":"f\\u006frbidden words"}' } },
          ],
        },
      ],
    },
  ],
  [
    'a text file in base64',
    'anthropic',
    user([{ type: 'document', source: { type: 'base64', media_type: 'text/plain', data: base64(`a ${words}`) } }]),
  ],
  [
    'a text file as a data URL',
    'openai',
    user([{ type: 'file', file: { filename: 'a.txt', file_data: `data:text/plain;base64,${base64(words)}` } }]),
  ],
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
  ].map(([name, file_data = '']): (typeof requests)[number] => [
    `a text file ${name}`,
    'openai',
    user([{ type: 'file', file: { filename: 'a.txt', file_data } }]),
  ]),
  ['words where a file should be', 'openai', user([{ type: 'file', file: { file_data: `data:a/b;base64,${words}` } }])],
  ...['TEXT/plain', 'application/pdf', 'image/svg+xml'].map((media_type): (typeof requests)[number] => [
    `a text file called ${media_type}`,
    'anthropic',
    user([{ type: 'document', source: { type: 'base64', media_type, data: base64(words) } }]),
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
  [
    'words of two messages',
    'openai',
    {
      model: 'm',
      messages: [
        { role: 'user', content: 'forbidden' },
        { role: 'assistant', content: 'words' },
      ],
    },
  ],
  [
    'results of two tools',
    'openai',
    {
      model: 'm',
      messages: [
        { role: 'tool', tool_call_id: 'a', content: 'forbidden' },
        { role: 'tool', tool_call_id: 'b', content: 'words' },
      ],
    },
  ],
  [
    'an image',
    'openai',
    user([text('look'), { type: 'image_url', image_url: { url: `data:image/png;base64,${picture}` } }]),
  ],
  ['a file that is a picture', 'openai', user([{ type: 'file', file: { filename: 'a', file_data: picture } }])],
  [
    'a document with pages',
    'anthropic',
    user([{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: picture } }]),
  ],
  [
    'a signature',
    'anthropic',
    {
      model: 'm',
      messages: [{ role: 'assistant', content: [{ type: 'thinking', thinking: 'a', signature: base64(words) }] }],
    },
  ],
  [
    'a schema without them',
    'openai',
    inTool({ parameters: { type: 'object', properties: { forbidden: { enum: ['words'] } } } }),
  ],
])('[content.every-text] the neighbour passes: %s', async (_, dialect, body) => {
  expect(await decisionOnRequest(dialect, body)).toBe('allow');
});

test('[content.every-text] personal data split over parts blocks where it cannot be redacted', async () => {
  const redacting = policyOf({ input: [{ name: 'pii', type: 'pii', action: 'redact', entities: ['email'] }] });
  const body = user([text('write to alice@exam'), text('ple.com today')]);
  expect((await redacting.checkInput(openai.requestTexts(body), context)).decision).toBe('block');
  const whole = user([text('write to alice@example.com'), text('today')]);
  expect((await redacting.checkInput(openai.requestTexts(whole), context)).decision).toBe('allow');
  expect(JSON.stringify(whole)).not.toContain('alice@');
});

const block = (content_block: JsonObject): JsonObject[] => [
  { type: 'content_block_start', index: 0, content_block },
  { type: 'content_block_stop', index: 0 },
];
const citation = (more: JsonObject): JsonObject[] => [
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  {
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'citations_delta', citation: { type: 'char_location', ...more } },
  },
];
const chunk = (delta: JsonObject, more: JsonObject = {}): JsonObject[] => [
  {
    id: 'c',
    object: 'chat.completion.chunk',
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: null }],
    ...more,
  },
];

const streams: readonly (readonly [string, keyof typeof dialects, JsonObject[]])[] = [
  [
    'a result of the provider’s search',
    'anthropic',
    block({
      type: 'web_search_tool_result',
      tool_use_id: 'a',
      content: [{ type: 'web_search_result', title: words, url: 'u' }],
    }),
  ],
  [
    'output of the provider’s code',
    'anthropic',
    block({ type: 'code_execution_tool_result', tool_use_id: 'a', content: { stdout: words } }),
  ],
  [
    'a result of a server behind the provider',
    'anthropic',
    block({ type: 'mcp_tool_result', tool_use_id: 'a', content: [text(words)] }),
  ],
  ['cited text', 'anthropic', citation({ cited_text: words })],
  ['the title of a cited document', 'anthropic', citation({ document_title: words })],
  ['the name of a called tool', 'anthropic', block({ type: 'tool_use', id: 'a', name: words, input: {} })],
  [
    'the name of a called function',
    'openai',
    chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: words, arguments: '' } }] }),
  ],
  ['an annotation', 'openai', chunk({ annotations: [{ type: 'url_citation', url_citation: { title: words } }] })],
  ['an image with words', 'openai', chunk({ images: [{ image_url: { url: `https://x.example/?${words}` } }] })],
  ['citations beside the choices', 'openai', chunk({ content: 'a' }, { citations: [words] })],
  ['text of the older form', 'openai', [{ id: 'c', object: 'text_completion', choices: [{ index: 0, text: words }] }]],
];

const tokens = (spelled: readonly string[], asBytes = false): JsonObject => ({
  content: spelled.map((token) => ({
    token: asBytes ? '?' : token,
    logprob: -1,
    bytes: asBytes ? [...Buffer.from(token)] : null,
    top_logprobs: [],
  })),
});
const tokenChunk = (logprobs: JsonObject): JsonObject => ({
  choices: [{ index: 0, delta: { content: 'a' }, logprobs, finish_reason: null }],
});
const blockDelta = (delta: JsonObject): JsonObject => ({ type: 'content_block_delta', index: 0, delta });

const running: readonly (readonly [string, keyof typeof dialects, JsonObject[]])[] = [
  ['reasoning', 'openai', [...chunk({ reasoning: 'forbidden' }), ...chunk({ reasoning: ' words' })]],
  ['a refusal', 'openai', [...chunk({ refusal: 'forb' }), ...chunk({ refusal: 'idden words' })]],
  ['a member of a vendor’s own', 'openai', [...chunk({ thoughts: 'forbidden' }), ...chunk({ thoughts: ' words' })]],
  [
    'a transcript',
    'openai',
    [...chunk({ audio: { transcript: 'forb' } }), ...chunk({ audio: { transcript: 'idden words' } })],
  ],
  ['tokens', 'openai', [tokenChunk(tokens(['forb', 'idden'])), tokenChunk(tokens([' wor', 'ds']))]],
  [
    'bytes of tokens',
    'openai',
    [tokenChunk(tokens(['forb', 'idden'], true)), tokenChunk(tokens([' wor', 'ds'], true))],
  ],
  ['tokens of a refusal', 'openai', [tokenChunk({ refusal: tokens(['forbidden', ' words']).content! })]],
  [
    'thinking',
    'anthropic',
    ['forbidden', ' words'].map((thinking) => blockDelta({ type: 'thinking_delta', thinking })),
  ],
  [
    'a kind of delta nobody knows',
    'anthropic',
    ['forbidden', ' words'].map((content) => blockDelta({ type: 'compaction_delta', content })),
  ],
];

test.each(running)('[content.every-text] split over events: %s', async (_, dialect, events) => {
  const { decision, out } = await sent(dialect, events);
  expect([decision, /words|"wor|"ds"/.test(JSON.stringify(out))]).toEqual(['block', false]);
});

test.each(running)('[content.every-text] leaves as it came, or with what was held: %s', async (_, dialect, events) => {
  const harmless = JSON.parse(
    JSON.stringify(events)
      .replaceAll('forb', 'harm')
      .replaceAll('idden', 'less')
      .replaceAll('[102,111,114,98]', '[104,97,114,109]'),
  ) as JsonObject[];
  expect(await sent(dialect, harmless)).toEqual({ decision: 'allow', out: harmless });
});

test('[content.every-text] tokens of a reply go with what they spell; others stay', async () => {
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
  const gate = streamGate({ call } as unknown as ChatCallState, policy);
  const out: JsonObject[] = [];
  for (const event of events) out.push(...(await gate!.pass(structuredClone(event))));
  out.push(...(await gate!.end()));
  return { decision: gate!.verdict().decision, out };
}

test.each(streams)('[content.every-text] in a stream, before it leaves: %s', async (_, dialect, events) => {
  const { decision, out } = await sent(dialect, events);
  expect([decision, JSON.stringify(out).includes(words)]).toEqual(['block', false]);
});

test('[content.every-text] a stream without them leaves as it came', async () => {
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
])('[content.every-text] in a whole reply: %s', async (_, dialect, reply) => {
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

test('[content.embedded-text] what is redacted in a text file is written back as it came', async () => {
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
