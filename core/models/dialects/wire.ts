/** Readers of members that several dialects have. */
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject, objectsOf, textOf } from '#core/kernel/narrow.ts';

/**
 * Returns the reasoning of a message or delta of chat completions. Servers name it in two ways, or give its parts in
 * `reasoning_details`, mostly in addition.
 */
export const reasoningOf = ({ reasoning_content, reasoning, reasoning_details }: JsonObject): string =>
  textOf(reasoning_content) ||
  textOf(reasoning) ||
  objectsOf(reasoning_details)
    .map(({ text, summary }) => textOf(text) ?? textOf(summary) ?? '')
    .join('');

/** `{ [key]: value }`, or nothing where there is no value: for spreading. */
export const member = (key: string, value: Json | undefined): JsonObject =>
  value === undefined ? {} : { [key]: value };

/** Members of an object that are not named. */
export const omit = (object: JsonObject, names: ReadonlySet<string>): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.has(name)));

/**
 * A tool's arguments as an object. An empty text means no arguments; text that is not a JSON object is kept whole under `_raw`, since
 * an argument lost is worse than one a tool refuses.
 */
export function argumentsOf(text: string): JsonObject {
  if (text.trim() === '') return {};
  try {
    const value = JSON.parse(text) as Json;
    if (isObject(value)) return value;
  } catch {
    // Not JSON: kept as it came.
  }
  return { _raw: text };
}
