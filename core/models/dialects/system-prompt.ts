/** Adds text to a system prompt in any form. */
import type { Json } from '#core/kernel/json.ts';

export const blankLine = '\n\n';

/**
 * Returns a prompt with text added before and after it: a string is extended, a list gets additional parts, and an
 * absent prompt becomes a string.
 */
export function joinedTexts(prompt: Json | undefined, before: string, after: string): Json {
  if (!Array.isArray(prompt))
    return [before, typeof prompt === 'string' ? prompt : '', after].filter(Boolean).join(blankLine);
  const part = (text: string) => (text === '' ? [] : [{ type: 'text', text }]);
  return [...part(before), ...prompt, ...part(after)];
}
