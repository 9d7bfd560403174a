/** Compares the responses of two stores to the same random operations. */
import assert from 'node:assert/strict';
import { type Store, StoreFault } from '#adapters/tables/store.ts';
import type { RandomRows } from './random-rows.ts';

/** Returns the response, or the error, as text that does not depend on the order of members. */
export async function answerOf(run: (store: Store) => Promise<unknown>, store: Store): Promise<string> {
  try {
    return JSON.stringify(plain(await run(store))) ?? 'undefined';
  } catch (fault) {
    return fault instanceof StoreFault ? `fault ${fault.reason}` : `error ${(fault as Error).message}`;
  }
}

function plain(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return { bytes: [...(value as Uint8Array)] };
  if (value instanceof Set) return { set: [...value].sort() };
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, plain(member)]);
}

interface ComparedStores {
  readonly local: Store;
  readonly remote: Store;
}

/**
 * Runs the next operations on both stores. Returns the kinds of responses, such as `transact cancelled`.
 * @throws AssertionError with the position of the first different response
 */
export async function compareStores(
  { local, remote }: ComparedStores,
  maker: RandomRows,
  operations: number,
): Promise<ReadonlySet<string>> {
  const seen = new Set<string>();
  for (let at = 0; at < operations; at++) {
    const { name, run } = maker.next();
    const [found, wanted] = [await answerOf(run, local), await answerOf(run, remote)];
    assert.deepEqual({ seed: maker.seed, at, name, answer: found }, { seed: maker.seed, at, name, answer: wanted });
    seen.add(`${name} ${found.startsWith('fault') ? found : found.includes('reasons') ? 'cancelled' : 'answered'}`);
  }
  return seen;
}
