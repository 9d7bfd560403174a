/** Builds a complete chat completion from its stream chunks. */
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { countOf, isObject, objectOf, objectsOf, textOf } from '#core/kernel/narrow.ts';
import { toolFragments } from '../tool-fragments.ts';
import { omitMembers } from '../wire.ts';

export function openaiCollector(): { add(event: JsonObject): void; reply(): JsonObject | undefined } {
  let head: JsonObject | undefined;
  let failed = false;
  const choices = new Map<number, ReturnType<typeof collectChoice>>();

  function choiceAt(index: number): ReturnType<typeof collectChoice> {
    const known = choices.get(index) ?? collectChoice(index);
    choices.set(index, known);
    return known;
  }

  return {
    add(event) {
      if (event.error) failed = true;
      head = { ...head, ...nonNullMembers(event) };
      for (const [position, choice] of objectsOf(event.choices).entries())
        choiceAt(countOf(choice.index) ?? position).add(choice);
    },
    reply() {
      const all = [...choices.values()];
      if (failed || all.length === 0 || !all.every((choice) => choice.finished())) return undefined;
      const whole = [...choices].sort(([one], [other]) => one - other).map(([, choice]) => choice.whole());
      return { ...head, object: 'chat.completion', choices: whole };
    },
  };
}

/** Returns a chunk's non-null members except its choices, because null usage in other chunks must not erase a value. */
const nonNullMembers = (event: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(event).filter(([name, value]) => name !== 'choices' && value !== null));

function collectChoice(index: number) {
  let message: JsonObject = { role: 'assistant', content: null, refusal: null };
  let rest: JsonObject = {};
  let logprobs: Record<string, Json[]> | null = null;
  let finish: string | undefined;
  const calls: JsonObject[] = [];
  const callOf = toolFragments(() => {
    const call: JsonObject = { id: '', type: 'function' };
    calls.push(call);
    return call;
  });

  return {
    add(choice: JsonObject): void {
      finish = textOf(choice.finish_reason) ?? finish;
      if (isObject(choice.logprobs)) logprobs = grown(logprobs ?? {}, choice.logprobs);
      rest = { ...rest, ...omitMembers(choice, choiceMembers) };
      const delta = objectOf(choice.delta);
      if (delta === undefined) return;
      for (const fragment of objectsOf(delta.tool_calls)) addFragment(callOf(fragment), fragment);
      message = mergeDeltas(message, omitMembers(delta, callMembers));
    },
    finished: () => finish !== undefined,
    whole: (): JsonObject => ({
      index,
      message: calls.length > 0 ? { ...message, tool_calls: calls } : message,
      logprobs,
      finish_reason: finish ?? null,
      ...rest,
    }),
  };
}

const choiceMembers = new Set(['index', 'delta', 'logprobs', 'finish_reason']);
const callMembers = new Set(['tool_calls']);

/** Members whose strings arrive in pieces. Any other string is sent once, or repeated unchanged. */
const running = new Set([
  'content',
  'refusal',
  'reasoning_content',
  'reasoning',
  'arguments',
  'input',
  'transcript',
  'data',
]);

/** Merges deltas: streamed strings are joined, lists grow, and objects are merged recursively. */
function mergeDeltas(before: JsonObject, now: JsonObject): JsonObject {
  const result = { ...before };
  for (const [name, value] of Object.entries(now)) {
    if (value === null || name === '__proto__') continue;
    result[name] = joinedValue(name, before[name], value);
  }
  return result;
}

function joinedValue(name: string, before: Json | undefined, value: Json): Json {
  if (typeof value === 'string' && typeof before === 'string' && running.has(name)) return before + value;
  if (Array.isArray(value) && Array.isArray(before)) return [...before, ...value];
  if (isObject(value) && isObject(before)) return mergeDeltas(before, value);
  return value;
}

function addFragment(call: JsonObject, { index: _, function: named, custom, ...rest }: JsonObject): void {
  for (const [name, value] of Object.entries(rest)) if (name !== '__proto__') call[name] ||= value;
  if (isObject(named)) call.function = continued(call.function, named, 'arguments');
  if (isObject(custom)) call.custom = continued(call.custom, custom, 'input');
}

/**
 * Joins a fragment to the previous ones. Its name is in the first fragment or in all of them, and its text continues in
 * each.
 */
function continued(before: Json | undefined, fragment: JsonObject, running: string): JsonObject {
  const known = objectOf(before) ?? {};
  return {
    ...fragment,
    ...known,
    name: textOf(known.name) || (textOf(fragment.name) ?? ''),
    [running]: (textOf(known[running]) ?? '') + (textOf(fragment[running]) ?? ''),
  };
}

/** Appends log probabilities, which arrive per token, to lists that grow in place. */
function grown(lists: Record<string, Json[]>, now: JsonObject): Record<string, Json[]> {
  for (const name of ['content', 'refusal'] as const) {
    const more = now[name];
    if (!Array.isArray(more)) continue;
    lists[name] ??= [];
    lists[name].push(...more);
  }
  return lists;
}
