/** Streams of Anthropic messages as providers send them, byte for byte, and what they say. */
import type { JsonObject } from '#core/kernel/json.ts';

export interface GoldenMessage {
  readonly sse: string;
  readonly content: readonly JsonObject[];
  readonly stop: string;
  readonly usage: JsonObject;
}

const event = (data: { readonly type: string; readonly [key: string]: unknown }, end = '\n'): string =>
  `event: ${data.type}${end}data: ${JSON.stringify(data)}${end}${end}`;

const start = (usage: JsonObject): string =>
  event({
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    },
  });
const begin = (index: number, content_block: JsonObject): string =>
  event({ type: 'content_block_start', index, content_block });
const delta = (index: number, change: JsonObject): string =>
  event({ type: 'content_block_delta', index, delta: change });
const end = (index: number): string => event({ type: 'content_block_stop', index });
const stop = (stop_reason: string, usage: JsonObject, stop_sequence: string | null = null): string =>
  event({ type: 'message_delta', delta: { stop_reason, stop_sequence }, usage }) + event({ type: 'message_stop' });

const ping = event({ type: 'ping' });
const started = { input_tokens: 25, cache_creation_input_tokens: 8, cache_read_input_tokens: 100, output_tokens: 1 };
const plain = { input_tokens: 25, output_tokens: 1 };
const rome = '{"city":"Rome","unit":"°C"}';

export const anthropicStreams = {
  text: {
    sse: [
      start(started),
      begin(0, { type: 'text', text: '' }),
      ping,
      delta(0, { type: 'text_delta', text: 'Grüß ' }),
      delta(0, { type: 'text_delta', text: 'Gott 👋' }),
      end(0),
      stop('end_turn', { output_tokens: 15 }),
    ].join(''),
    content: [{ type: 'text', text: 'Grüß Gott 👋' }],
    stop: 'end_turn',
    usage: { ...started, output_tokens: 15 },
  },
  tools: {
    sse: [
      start(plain),
      begin(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'Both ' }),
      delta(0, { type: 'thinking_delta', thinking: 'cities.' }),
      delta(0, { type: 'signature_delta', signature: 'c2ln' }),
      end(0),
      begin(1, { type: 'text', text: '' }),
      delta(1, { type: 'text_delta', text: 'Looking.' }),
      end(1),
      begin(2, { type: 'tool_use', id: 'toolu_a', name: 'weather', input: {} }),
      delta(2, { type: 'input_json_delta', partial_json: '' }),
      ...[...rome].map((character) => delta(2, { type: 'input_json_delta', partial_json: character })),
      end(2),
      begin(3, { type: 'tool_use', id: 'toolu_b', name: 'now', input: {} }),
      delta(3, { type: 'input_json_delta', partial_json: '' }),
      end(3),
      stop('tool_use', { output_tokens: 40, input_tokens: 0 }),
    ].join(''),
    content: [
      { type: 'thinking', thinking: 'Both cities.', signature: 'c2ln' },
      { type: 'text', text: 'Looking.' },
      { type: 'tool_use', id: 'toolu_a', name: 'weather', input: { city: 'Rome', unit: '°C' } },
      { type: 'tool_use', id: 'toolu_b', name: 'now', input: {} },
    ],
    stop: 'tool_use',
    usage: { input_tokens: 0, output_tokens: 40 },
  },
  /** Comments and CRLF; counts given twice, the later ones hold. */
  oddFraming: {
    sse: [
      ': connected\r\n\r\n',
      start(plain).replaceAll('\n', '\r\n'),
      begin(0, { type: 'text', text: 'He' }).replaceAll('\n', '\r'),
      delta(0, { type: 'text_delta', text: 'llo' }),
      end(0),
      event({ type: 'message_delta', delta: { stop_reason: null, stop_sequence: null }, usage: { output_tokens: 2 } }),
      stop('stop_sequence', { input_tokens: 26, output_tokens: 3 }, 'END'),
    ].join(''),
    content: [{ type: 'text', text: 'Hello' }],
    stop: 'stop_sequence',
    usage: { input_tokens: 26, output_tokens: 3 },
  },
  refusal: {
    sse: [start(plain), stop('refusal', { output_tokens: 0 })].join(''),
    content: [],
    stop: 'refusal',
    usage: { input_tokens: 25, output_tokens: 0 },
  },
} as const satisfies Record<string, GoldenMessage>;
