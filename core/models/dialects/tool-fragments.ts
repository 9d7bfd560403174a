/** Assigns streamed fragments to their tool calls: providers send an index, an id, or neither. */
import type { JsonObject } from '#core/kernel/json.ts';
import { countOf, textOf } from '#core/kernel/narrow.ts';

interface StartedCall<Call> {
  readonly call: Call;
  id: string | undefined;
}

/**
 * Returns a function that assigns the fragments of one choice to their calls. The index determines the call, except
 * that a different id starts a new call, because some providers give every parallel call index 0. A fragment without an
 * index continues the call with its id, or else the last call.
 * @param begin creates a call.
 */
export function toolFragments<Call>(begin: () => Call): (fragment: JsonObject) => Call {
  const byIndex = new Map<number, StartedCall<Call>>();
  const byId = new Map<string, StartedCall<Call>>();
  let last: StartedCall<Call> | undefined;

  function find(index: number | undefined, id: string | undefined): StartedCall<Call> | undefined {
    const known = index === undefined ? (id === undefined ? last : byId.get(id)) : byIndex.get(index);
    if (known === undefined || id === undefined || known.id === undefined || known.id === id) return known;
    return byId.get(id);
  }

  return (fragment) => {
    const index = countOf(fragment.index);
    const id = textOf(fragment.id) || undefined;
    const known = find(index, id) ?? { call: begin(), id };
    known.id ??= id;
    if (index !== undefined) byIndex.set(index, known);
    if (known.id !== undefined) byId.set(known.id, known);
    last = known;
    return known.call;
  };
}
