/**
 * Translates the reason a reply ended. A missing or unknown reason never counts as a normal end: the reply is treated
 * as truncated [dialects.unknown-end].
 */

const toAnthropic: ReadonlyMap<string, string> = new Map(
  Object.entries({
    stop: 'end_turn',
    length: 'max_tokens',
    tool_calls: 'tool_use',
    function_call: 'tool_use',
    content_filter: 'refusal',
  }),
);

const toOpenai: ReadonlyMap<string, string> = new Map(
  Object.entries({
    end_turn: 'stop',
    stop_sequence: 'stop',
    pause_turn: 'length',
    max_tokens: 'length',
    model_context_window_exceeded: 'length',
    tool_use: 'tool_calls',
    refusal: 'content_filter',
  }),
);

/**
 * Returns the `stop_reason` for a chat completion.
 * @param made content of the reply: some providers send `stop` after tool calls, and report a refusal only in
 * `refusal`.
 */
export function stopReason(finish: string | undefined, made: { calls: boolean; refusal: boolean }): string {
  const reason = toAnthropic.get(finish ?? '') ?? 'max_tokens';
  if (reason !== 'end_turn') return reason;
  if (made.calls) return 'tool_use';
  return made.refusal ? 'refusal' : reason;
}

/** Returns the `finish_reason` for a message. */
export const finishReason = (stop: string | undefined): string => toOpenai.get(stop ?? '') ?? 'length';

/**
 * Returns the reason why a response is incomplete, based on the `finish_reason` of its chat completion, or undefined if
 * it is complete.
 */
export const incompleteReason = (finish: string | undefined): string | undefined =>
  finish !== undefined && ordinaryEnds.has(finish)
    ? undefined
    : finish === 'content_filter'
      ? finish
      : 'max_output_tokens';
const ordinaryEnds: ReadonlySet<string> = new Set(['stop', 'tool_calls', 'function_call']);
