/** Readers for members that several dialects share. */
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject, objectsOf, textOf } from '#core/kernel/narrow.ts';

/**
 * Returns the reasoning in a message or delta of a chat completion. Servers use two names for it, list its parts in
 * `reasoning_details`, usually in addition, or send it as content parts (Mistral).
 */
export const reasoningOf = ({ reasoning_content, reasoning, reasoning_details, content }: JsonObject): string =>
  textOf(reasoning_content) ||
  textOf(reasoning) ||
  objectsOf(reasoning_details)
    .map(({ text, summary }) => textOf(text) ?? textOf(summary) ?? '')
    .join('') ||
  objectsOf(content)
    .map(({ thinking }) => contentText(thinking))
    .join('');

/** Returns the text content of a message or delta, which some servers send as a list of parts. */
export const contentText = (content: Json | undefined): string =>
  textOf(content) ??
  objectsOf(content)
    .map(({ text }) => textOf(text) ?? '')
    .join('');

/** Returns `{ [key]: value }` for spreading, or an empty object if there is no value. */
export const member = (key: string, value: Json | undefined): JsonObject =>
  value === undefined ? {} : { [key]: value };

/** Returns the members of an object except the given names. */
export const omitMembers = (object: JsonObject, names: ReadonlySet<string>): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.has(name)));

/**
 * Parses a tool's arguments as an object. An empty string means no arguments. Text that is not a JSON object is stored
 * under `_raw`, because a tool can refuse that, whereas lost arguments would go unnoticed.
 */
export function argumentsOf(text: string): JsonObject {
  if (text.trim() === '') return {};
  try {
    const value = JSON.parse(text) as Json;
    if (isObject(value)) return value;
  } catch {
    // Invalid JSON is stored unchanged.
  }
  return { _raw: text };
}

/** Returns the input of a chat completion's call. Some clients and servers send an object instead of JSON text. */
export const inputOf = (named: JsonObject): JsonObject =>
  isObject(named.arguments) ? named.arguments : argumentsOf(textOf(named.arguments) ?? textOf(named.input) ?? '');

/** Checks whether a string is complete JSON, such as the arguments of a call that has ended. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns arguments as JSON text. Some clients and servers send an object instead. */
export const jsonText = (given: Json | undefined): string =>
  typeof given === 'string' ? given : given === undefined || given === null ? '' : JSON.stringify(given);
