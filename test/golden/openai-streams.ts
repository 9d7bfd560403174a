/** Streams of chat completions as providers send them, byte for byte, and what they say. */
import type { JsonObject } from '#core/kernel/json.ts';

export interface Golden {
  readonly sse: string;
  /** What the caller must have read at the end, choice by choice. */
  readonly said: readonly Said[];
  /** `usage` of the last chunk that has one. */
  readonly usage?: JsonObject;
}

export interface Said {
  readonly content?: string;
  readonly refusal?: string;
  readonly reasoning?: string;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly finish: string;
}

const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'gpt-4o-mini' };
const line = (chunk: unknown): string => `data: ${JSON.stringify(chunk)}\n\n`;
const chunk = (delta: unknown, finish: string | null = null, index = 0): string =>
  line({ ...head, choices: [{ index, delta, logprobs: null, finish_reason: finish }] });
const tool = (index: number, args: string, named: { id: string; name: string } | undefined = undefined): string =>
  chunk({
    tool_calls: [
      named
        ? { index, id: named.id, type: 'function', function: { name: named.name, arguments: args } }
        : { index, function: { arguments: args } },
    ],
  });
const usageOnly = (usage: JsonObject): string => line({ ...head, choices: [], usage });
const done = 'data: [DONE]\n\n';

const counts = {
  prompt_tokens: 20,
  completion_tokens: 7,
  total_tokens: 27,
  prompt_tokens_details: { cached_tokens: 12, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 3 },
};

const rome = '{"city":"Rome","unit":"°C"}';
const oslo = '{"city":"Oslo"}';

export const openaiStreams = {
  text: {
    sse: [
      chunk({ role: 'assistant', content: '', refusal: null }),
      chunk({ content: 'Hel' }),
      chunk({ content: 'lo, wörld 👋🏽' }),
      chunk({}, 'stop'),
      usageOnly(counts),
      done,
    ].join(''),
    said: [{ content: 'Hello, wörld 👋🏽', finish: 'stop' }],
    usage: counts,
  },
  /** Two calls, one after the other, the arguments in pieces of one byte; text before them. */
  parallelTools: {
    sse: [
      chunk({ role: 'assistant', content: null }),
      chunk({ content: 'Looking.' }),
      tool(0, '', { id: 'call_a', name: 'weather' }),
      ...[...rome].map((character) => tool(0, character)),
      tool(1, '', { id: 'call_b', name: 'weather' }),
      ...[...oslo].map((character) => tool(1, character)),
      chunk({}, 'tool_calls'),
      done,
    ].join(''),
    said: [
      {
        content: 'Looking.',
        calls: [
          { id: 'call_a', name: 'weather', arguments: rome },
          { id: 'call_b', name: 'weather', arguments: oslo },
        ],
        finish: 'tool_calls',
      },
    ],
  },
  /** The same two, their pieces alternating. */
  interleavedTools: {
    sse: [
      tool(0, '', { id: 'call_a', name: 'weather' }),
      tool(1, '', { id: 'call_b', name: 'forecast' }),
      ...Array.from({ length: rome.length }, (_, i) => tool(0, rome[i]!) + (oslo[i] ? tool(1, oslo[i]!) : '')),
      chunk({}, 'tool_calls'),
      done,
    ].join(''),
    said: [
      {
        calls: [
          { id: 'call_a', name: 'weather', arguments: rome },
          { id: 'call_b', name: 'forecast', arguments: oslo },
        ],
        finish: 'tool_calls',
      },
    ],
  },
  /** Arguments whole, every call with index 0, `stop` at the end: as compatible servers do it. */
  wholeTools: {
    sse: [
      chunk({ role: 'assistant', content: '' }),
      tool(0, rome, { id: 'function-call-1', name: 'weather' }),
      tool(0, oslo, { id: 'function-call-2', name: 'weather' }),
      chunk({ content: '' }, 'stop'),
      done,
    ].join(''),
    said: [
      {
        calls: [
          { id: 'function-call-1', name: 'weather', arguments: rome },
          { id: 'function-call-2', name: 'weather', arguments: oslo },
        ],
        finish: 'stop',
      },
    ],
  },
  /** A call without arguments, and text after it. */
  emptyArguments: {
    sse: [
      tool(0, '', { id: 'call_a', name: 'now' }),
      chunk({ content: 'One moment.' }),
      chunk({}, 'tool_calls'),
      done,
    ].join(''),
    said: [{ content: 'One moment.', calls: [{ id: 'call_a', name: 'now', arguments: '' }], finish: 'tool_calls' }],
  },
  refusal: {
    sse: [
      chunk({ role: 'assistant', content: null, refusal: '' }),
      chunk({ refusal: 'I cannot ' }),
      chunk({ refusal: 'help with that.' }),
      chunk({}, 'stop'),
      done,
    ].join(''),
    said: [{ refusal: 'I cannot help with that.', finish: 'stop' }],
  },
  twoChoices: {
    sse: [
      chunk({ role: 'assistant', content: '' }, null, 0),
      chunk({ role: 'assistant', content: '' }, null, 1),
      chunk({ content: 'Heads' }, null, 0),
      chunk({ content: 'Ta' }, null, 1),
      chunk({}, 'stop', 0),
      chunk({ content: 'ils' }, null, 1),
      chunk({}, 'length', 1),
      done,
    ].join(''),
    said: [
      { content: 'Heads', finish: 'stop' },
      { content: 'Tails', finish: 'length' },
    ],
  },
  emptyDeltas: {
    sse: [
      line({ ...head, choices: [], prompt_filter_results: [{ prompt_index: 0 }] }),
      chunk({}),
      chunk({ content: '' }),
      chunk({ content: null }),
      chunk({ content: 'ok' }),
      chunk({}),
      chunk({}, 'stop'),
      done,
    ].join(''),
    said: [{ content: 'ok', finish: 'stop' }],
  },
  /** Byte order mark, comments, every kind of line end, no space after the colon, an event over several data lines. */
  oddFraming: {
    sse: [
      '\uFEFF: OPENROUTER PROCESSING\r\n\r\n',
      `data:${JSON.stringify({ ...head, choices: [{ index: 0, delta: { content: 'añ' }, finish_reason: null }] })}\r\n\r\n`,
      ': ping\n\n',
      `id: 7\rretry: 10\rdata: ${JSON.stringify({ ...head, choices: [{ index: 0, delta: { content: 'o ' }, finish_reason: null }] })}\r\r`,
      `data: {"id":"chatcmpl-1","model":"gpt-4o-mini",\ndata: "choices":[{"index":0,\r\ndata: "delta":{"content":"日本"},"finish_reason":"stop"}]}\n\n`,
      'data: [DONE]\r\n\r\n',
    ].join(''),
    said: [{ content: 'año 日本', finish: 'stop' }],
  },
  reasoning: {
    sse: [
      chunk({ role: 'assistant', content: null, reasoning_content: '' }),
      chunk({ reasoning_content: 'Two and ' }),
      chunk({ reasoning_content: 'two.' }),
      chunk({ content: '4' }),
      chunk({}, 'stop'),
      usageOnly(counts),
      done,
    ].join(''),
    said: [{ reasoning: 'Two and two.', content: '4', finish: 'stop' }],
    usage: counts,
  },
  contentFilter: {
    sse: [chunk({ role: 'assistant', content: 'Once' }), chunk({}, 'content_filter'), done].join(''),
    said: [{ content: 'Once', finish: 'content_filter' }],
  },
} as const satisfies Record<string, Golden>;
