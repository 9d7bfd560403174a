/** Replies in the formats of OpenAI, Anthropic and Ollama. */

/** Model output, which each kind formats in its own way, complete and streamed. */
export interface Said {
  /** Text, streamed in these pieces. */
  readonly text?: string | readonly string[];
  readonly toolCalls?: readonly { readonly id: string; readonly name: string; readonly input: object }[];
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly model?: string;
}

/** A piece of a body: text, bytes, a stream event of the kind, or a promise that the rest waits for. */
export type Piece = Written | Promise<unknown>;
export type Written = string | Uint8Array | { readonly event: object };

/** The format in which a kind writes model output. */
export interface Form {
  readonly basePath: string;
  readonly streamType: string;
  isStream(path: string, body: { readonly stream?: boolean }): boolean;
  whole(said: Said): object;
  /** Returns the complete stream, including its end. */
  streamed(said: Said): Piece[];
  encode(event: object): string | Uint8Array;
  error(status: number, message: string): object;
}

export const piecesOf = ({ text = [] }: Said): string[] => (typeof text === 'string' ? [text] : [...text]);
const textOf = (said: Said): string => piecesOf(said).join('');
const inputOf = ({ inputTokens = 11 }: Said) => inputTokens;
const outputOf = ({ outputTokens = 7 }: Said) => outputTokens;
const sse = (event: object) => `data: ${JSON.stringify(event)}\n\n`;

const openaiUsage = (said: Said) => ({
  prompt_tokens: inputOf(said),
  completion_tokens: outputOf(said),
  total_tokens: inputOf(said) + outputOf(said),
});

export const openaiForm: Form = {
  basePath: '/v1',
  streamType: 'text/event-stream',
  isStream: (_path, body) => body.stream === true,

  whole(said) {
    const { toolCalls = [], model = 'fake-model' } = said;
    const calls = toolCalls.map(({ id, name, input }) => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(input) },
    }));
    const message = { role: 'assistant', content: textOf(said), ...(calls.length > 0 && { tool_calls: calls }) };
    const finish_reason = calls.length > 0 ? 'tool_calls' : 'stop';
    return {
      id: 'chatcmpl-fake',
      object: 'chat.completion',
      created: 1,
      model,
      choices: [{ index: 0, message, finish_reason }],
      usage: openaiUsage(said),
    };
  },

  streamed(said) {
    const { toolCalls = [], model = 'fake-model' } = said;
    const head = { id: 'chatcmpl-fake', object: 'chat.completion.chunk', created: 1, model };
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      event: { ...head, choices: [{ index: 0, delta, finish_reason }] },
    });
    const calls = toolCalls.map(({ id, name, input }, index) =>
      chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: JSON.stringify(input) } }] }),
    );
    return [
      chunk({ role: 'assistant', content: '' }),
      ...piecesOf(said).map((content) => chunk({ content })),
      ...calls,
      chunk({}, calls.length > 0 ? 'tool_calls' : 'stop'),
      { event: { ...head, choices: [], usage: openaiUsage(said) } },
      'data: [DONE]\n\n',
    ];
  },

  encode: sse,
  error: (status, message) => ({ error: { message, type: status === 429 ? 'rate_limit_error' : 'fake_error' } }),
};

export const anthropicForm: Form = {
  basePath: '',
  streamType: 'text/event-stream',
  isStream: (_path, body) => body.stream === true,

  whole(said) {
    const { toolCalls = [], model = 'fake-model' } = said;
    const text = textOf(said);
    return {
      id: 'msg_fake',
      type: 'message',
      role: 'assistant',
      model,
      content: [
        ...(text === '' ? [] : [{ type: 'text', text }]),
        ...toolCalls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
      ],
      stop_reason: toolCalls.length > 0 ? 'tool_use' : 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: inputOf(said), output_tokens: outputOf(said) },
    };
  },

  streamed(said) {
    const { toolCalls = [], model = 'fake-model' } = said;
    const message = { id: 'msg_fake', type: 'message', role: 'assistant', model, content: [] };
    const opening = { ...message, stop_reason: null, stop_sequence: null };
    const block = (index: number, content_block: object, deltas: readonly object[]) => [
      { event: { type: 'content_block_start', index, content_block } },
      ...deltas.map((delta) => ({ event: { type: 'content_block_delta', index, delta } })),
      { event: { type: 'content_block_stop', index } },
    ];
    const pieces = piecesOf(said);
    const texts = pieces.map((text) => ({ type: 'text_delta', text }));
    const before = pieces.length > 0 ? 1 : 0;
    const calls = toolCalls.flatMap(({ id, name, input }, at) => {
      const delta = { type: 'input_json_delta', partial_json: JSON.stringify(input) };
      return block(before + at, { type: 'tool_use', id, name, input: {} }, [delta]);
    });
    const stop_reason = toolCalls.length > 0 ? 'tool_use' : 'end_turn';
    const usage = { input_tokens: inputOf(said), output_tokens: 1 };
    return [
      { event: { type: 'message_start', message: { ...opening, usage } } },
      { event: { type: 'ping' } },
      ...(before > 0 ? block(0, { type: 'text', text: '' }, texts) : []),
      ...calls,
      {
        event: {
          type: 'message_delta',
          delta: { stop_reason, stop_sequence: null },
          usage: { output_tokens: outputOf(said) },
        },
      },
      { event: { type: 'message_stop' } },
    ];
  },

  encode: (event) => `event: ${(event as { type: string }).type}\n${sse(event)}`,
  error: (status, message) => ({
    type: 'error',
    error: { type: status === 429 ? 'rate_limit_error' : 'fake_error', message },
  }),
};

export const ollamaForm: Form = {
  basePath: '',
  streamType: 'application/x-ndjson',
  // Ollama streams by default.
  isStream: (_path, body) => body.stream !== false,

  whole(said) {
    const { toolCalls = [], model = 'fake-model' } = said;
    const calls = toolCalls.map(({ name, input }) => ({ function: { name, arguments: input } }));
    return {
      model,
      created_at: '2026-01-01T00:00:00.123456789Z',
      message: { role: 'assistant', content: textOf(said), ...(calls.length > 0 && { tool_calls: calls }) },
      done: true,
      done_reason: 'stop',
      prompt_eval_count: inputOf(said),
      eval_count: outputOf(said),
    };
  },

  streamed(said) {
    const { toolCalls = [], model = 'fake-model' } = said;
    const head = { model, created_at: '2026-01-01T00:00:00.123456789Z' };
    const line = (message: object, end: object = { done: false }) => ({
      event: { ...head, message: { role: 'assistant', ...message }, ...end },
    });
    const calls = toolCalls.map(({ name, input }) => ({ function: { name, arguments: input } }));
    const counts = { prompt_eval_count: inputOf(said), eval_count: outputOf(said) };
    return [
      ...piecesOf(said).map((content) => line({ content })),
      ...(calls.length > 0 ? [line({ content: '', tool_calls: calls })] : []),
      line({ content: '' }, { done: true, done_reason: 'stop', ...counts }),
    ];
  },

  encode: (event) => `${JSON.stringify(event)}\n`,
  error: (_status, message) => ({ error: message }),
};
