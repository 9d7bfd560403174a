/** Event streams cut at every byte: the decoder's result does not depend on chunking. */
import { sseDecoder } from '#core/models/dialects/sse.ts';
import { lineFrames } from '#core/models/providers/lines.ts';

interface Decoder {
  push(bytes: Uint8Array): unknown[];
  end(): unknown[];
}

/** What is read of pieces; what the decoder throws is its answer as well. */
function read(make: () => Decoder, pieces: readonly Uint8Array[]): unknown {
  const decoder = make();
  const events: unknown[] = [];
  try {
    for (const piece of pieces) events.push(...decoder.push(piece));
    events.push(...decoder.end());
    return events;
  } catch (fault) {
    return [events, (fault as { kind?: string; message: string }).kind ?? (fault as Error).message];
  }
}

/** Every cut into two, every cut into three whose parts are one byte apart, and each byte by itself. */
function* cuts(bytes: Uint8Array): Generator<Uint8Array[]> {
  for (let at = 0; at <= bytes.length; at++) {
    yield [bytes.subarray(0, at), bytes.subarray(at)];
    if (at < bytes.length) yield [bytes.subarray(0, at), bytes.subarray(at, at + 1), bytes.subarray(at + 1)];
  }
  yield [...bytes].map((_, at) => bytes.subarray(at, at + 1));
}

const chunk = (delta: object) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;
const named = (type: string, more: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
const rpc = (more: object) => `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...more })}\n\n`;

const streams: readonly (readonly [string, string])[] = [
  ['a chat', `${chunk({ role: 'assistant' })}${chunk({ content: 'Hello' })}data: [DONE]\n\n`],
  [
    'characters of two, three and four bytes',
    `${chunk({ content: 'é ß ñ' })}${chunk({ content: '漢字 €' })}${chunk({ content: '🙂👩‍👩‍👧' })}`,
  ],
  ['combining marks and invisible characters', chunk({ content: 'e\u0301 \u200b \u202e \u{e0069}' })],
  ['CRLF', `data: {"a":1}\r\n\r\ndata: {"b":2}\r\n\r\n`],
  ['CR alone', `data: {"a":1}\r\rdata: {"b":2}\r\r`],
  ['line ends mixed', `data: 1\r\n\ndata: 2\n\r\ndata: 3\r\r\ndata: 4\n\n`],
  ['data of several lines', `data: {"a":\ndata: 1,\ndata:"b":2}\n\n`],
  ['data of several lines under CRLF', `data: {\r\ndata:  "a": 1\r\ndata: }\r\n\r\n`],
  ['empty data', `data\n\ndata:\n\ndata: \n\n`],
  ['comments', `: ping\n\n:\ndata: 1\n: in between\ndata: 2\n\n: end`],
  ['comments under CRLF', `: ping\r\n\r\ndata: 1\r\n: x\r\n\r\n`],
  ['a byte order mark', `\ufeffdata: 1\n\n`],
  ['two byte order marks', `\ufeff\ufeffdata: 1\n\ndata: 2\n\n`],
  ['no blank behind the colon', `event:x\ndata:1\nid:7\n\n`],
  ['two blanks behind the colon', `data:  1\n\n`],
  ['unknown fields', `foo: bar\nretry: 10\ndata: 1\nbaz\n\n`],
  ['ids, one with a NUL', `id: 1\ndata: 1\n\nid: 2\u0000\ndata: 2\n\nid\ndata: 3\n\n`],
  ['an event without data', `event: x\n\ndata: 1\n\n`],
  ['an end without a blank line', `data: 1\n\ndata: 2`],
  ['an end behind a CR', `data: 1\r\n\r\ndata: 2\r`],
  ['nothing', ''],
  ['blank lines alone', '\n\r\n\r\n\n'],
  [
    'arguments of a call in fragments',
    ['{"to":"', 'eve', '@evil.example","t":"\\u00e9', '"}']
      .map((part) => chunk({ tool_calls: [{ index: 0, function: { arguments: part } }] }))
      .join(''),
  ],
  [
    'messages with text',
    named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }) +
      named('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'naïve 🙂' } }) +
      named('message_stop', {}),
  ],
  [
    'messages with a call',
    named('content_block_start', { index: 0, content_block: { type: 'tool_use', id: 't', name: 'send', input: {} } }) +
      named('content_block_delta', { index: 0, delta: { type: 'input_json_delta', partial_json: '{"to":"e' } }) +
      named('content_block_stop', { index: 0 }),
  ],
  [
    'responses',
    named('response.created', { response: { id: 'r' } }) +
      named('response.output_text.delta', { delta: 'Grüße' }) +
      named('response.completed', { response: { id: 'r', status: 'completed' } }),
  ],
  [
    'MCP: progress and a result',
    rpc({ method: 'notifications/progress', params: { progress: 1, progressToken: 'p' } }) +
      rpc({ id: 1, result: { content: [{ type: 'text', text: 'über' }] } }),
  ],
  ['MCP: numbered events', `id: s_1\nretry: 500\ndata: \n\nid: s_2\n${rpc({ id: 1, result: {} })}`],
  ['MCP: an endpoint', `event: endpoint\ndata: /message?session=1\n\n${rpc({ id: 1, result: {} })}`],
  ['text that looks like fields', chunk({ content: 'data: x\\n\\nevent: y' })],
  ['a field name of another script', `dаta: 1\ndata: 2\n\n`],
];

test('[chat.streams-cut] the corpus has about thirty streams', () => {
  expect(streams.length).toBeGreaterThanOrEqual(30);
});

test.each(streams)('[chat.streams-cut] %s', (_, text) => {
  const bytes = new TextEncoder().encode(text);
  for (const make of [() => sseDecoder(), lineFrames] as (() => Decoder)[]) {
    const whole = read(make, [bytes]);
    for (const pieces of cuts(bytes)) expect(read(make, pieces)).toEqual(whole);
  }
});

test.each([
  ['a byte that no character begins with', [0x64, 0xff, 0x0a, 0x0a]],
  ['a character that is cut off by the end', [0x64, 0x61, 0x74, 0x61, 0x3a, 0x31, 0x0a, 0x0a, 0xe6, 0xbc]],
  ['a surrogate', [0x64, 0x61, 0x74, 0x61, 0x3a, 0xed, 0xa0, 0x80, 0x0a, 0x0a]],
  ['an overlong form', [0x64, 0x61, 0x74, 0x61, 0x3a, 0xc0, 0xaf, 0x0a, 0x0a]],
])('[chat.streams-cut] %s is refused wherever it is cut', (_, list) => {
  const bytes = Uint8Array.from(list);
  for (const make of [() => sseDecoder(), lineFrames] as (() => Decoder)[])
    for (const pieces of cuts(bytes)) {
      const [, reason] = read(make, pieces) as [unknown[], unknown];
      expect(['encoding', 'it is not valid UTF-8']).toContain(reason);
    }
});
