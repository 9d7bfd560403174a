/** Why a reply ended, in either dialect's words. */

const toAnthropic: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
};

const toOpenai: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
};

/**
 * The `stop_reason` of a chat completion.
 * @param made what the reply holds: some providers say `stop` after tool calls, and a refusal is said in `refusal` only.
 */
export function stopReason(finish: string | undefined, made: { calls: boolean; refusal: boolean }): string {
  const reason = (finish !== undefined && toAnthropic[finish]) || 'end_turn';
  if (reason !== 'end_turn') return reason;
  if (made.calls) return 'tool_use';
  return made.refusal ? 'refusal' : reason;
}

/** The `finish_reason` of a message; a reason we do not know is an ordinary end. */
export const finishReason = (stop: string | undefined): string => (stop !== undefined && toOpenai[stop]) || 'stop';
