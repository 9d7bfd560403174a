/** Narrowing of wire values: what is not of the wanted shape counts as absent, so a dialect never trips over a stranger. */
import type { Json, JsonObject } from '#core/kernel/json.ts';

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const objectOf = (value: Json | undefined): JsonObject | undefined => (isObject(value) ? value : undefined);

/** The objects of an array; none where there is no array. */
export const objectsOf = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

export const textOf = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined);

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

/** A count: a non-negative whole number. */
export const countOf = (value: Json | undefined): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

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
