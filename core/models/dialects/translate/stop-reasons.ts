/**
 * Why a reply ended, in either dialect's words. A reason that the tables do not have is never an ordinary end, and neither is a
 * missing one: the reply counts as cut off [dialects.unknown-end].
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
 * The `stop_reason` of a chat completion.
 * @param made what the reply holds: some providers say `stop` after tool calls, and a refusal is said in `refusal` only.
 */
export function stopReason(finish: string | undefined, made: { calls: boolean; refusal: boolean }): string {
  const reason = toAnthropic.get(finish ?? '') ?? 'max_tokens';
  if (reason !== 'end_turn') return reason;
  if (made.calls) return 'tool_use';
  return made.refusal ? 'refusal' : reason;
}

/** The `finish_reason` of a message. */
export const finishReason = (stop: string | undefined): string => toOpenai.get(stop ?? '') ?? 'length';

/** Why a response is incomplete, by the `finish_reason` of its chat completion; undefined if it is complete. */
export const incompleteReason = (finish: string | undefined): string | undefined =>
  finish !== undefined && ordinaryEnds.has(finish)
    ? undefined
    : finish === 'content_filter'
      ? finish
      : 'max_output_tokens';
const ordinaryEnds: ReadonlySet<string> = new Set(['stop', 'tool_calls', 'function_call']);
