/**
 * Scans a result locally. Returns a sentence for the model if the result contains text that addresses the model
 * [cli.hook-outcome].
 */

import { guardResult, markOf, type ResultActions } from '#core/guard/results.ts';
import type { Json } from '#core/kernel/json.ts';
import { type Fields, text } from '#core/kernel/json-fields.ts';

/**
 * Actions for results. The agent already has the result, so text that addresses the model is marked but never removed.
 */
const actions: ResultActions = {
  instruction: 'mark',
  hidden_instruction: 'mark',
  encoded_instruction: 'mark',
  invisible_text: 'mark',
  false_error: 'mark',
  data_link: 'mark',
  classified: 'mark',
  terminal_escape: 'log',
  credential: 'log',
  asks_secret: 'log',
  asks_context: 'log',
};
const bytes = { memberOf: () => undefined, textOf: () => undefined, ofText: (base64: string) => base64 };
const maxCharacters = 1_000_000;

/** Matches tools whose result only repeats the agent's own text. */
const writing = /^(?:Write|Edit|MultiEdit|NotebookEdit|apply_patch|write_file|replace|StrReplace|Delete)$/;

export function sentenceAbout({ tool_name, tool_response, tool_output }: Fields): string | undefined {
  const result = tool_response ?? tool_output;
  if (result === undefined || writing.test(text(tool_name) ?? '')) return undefined;
  const written = typeof result === 'string' ? result : JSON.stringify(result);
  if (written.length > maxCharacters) return undefined;
  const value: Json = typeof result === 'string' ? jsonOrText(result) : (result as Json);
  return markOf(guardResult(value, { actions, bytes }).findings)?.replace(
    'the result below',
    'the result of this call',
  );
}

/** Parses a result that Cursor sends as JSON text. */
function jsonOrText(result: string): Json {
  try {
    return JSON.parse(result) as Json;
  } catch {
    return result;
  }
}
