/**
 * Batched consistent reads of single items by key: reads that arrive while others are in progress share the next
 * request. A single read is sent immediately. A read never uses the response to a request that was sent before it.
 */

import { isErrorNamed } from '#core/kernel/error-names.ts';
import { keyText, maxKeys } from './batch-get.ts';
import type { Item } from './items.ts';

interface GroupedReadOptions {
  readonly one: (key: Item) => Promise<Item | undefined>;
  /** Reads at most 100 keys, in no particular order. */
  readonly many: (keys: readonly Item[]) => Promise<readonly Item[]>;
}

interface PendingRead {
  readonly key: Item;
  readonly answer: PromiseWithResolvers<Item | undefined>;
}

const maxInFlight = 2;

/** Returns a function that reads the current item. It throws whatever the reads throw. */
export function groupedReads({ one, many }: GroupedReadOptions): (key: Item) => Promise<Item | undefined> {
  let wanted = new Map<string, PendingRead>();
  let inFlight = 0;
  let due = false;

  return (key) => {
    const id = keyText(key, key);
    const same = wanted.get(id) ?? { key, answer: Promise.withResolvers<Item | undefined>() };
    wanted.set(id, same);
    goOn();
    return same.answer.promise;
  };

  /** Starts the next read, which includes all reads requested in this turn of the event loop. */
  function goOn(): void {
    if (due || inFlight >= maxInFlight || wanted.size === 0) return;
    due = true;
    queueMicrotask(() => {
      due = false;
      const group = new Map([...wanted].slice(0, maxKeys));
      wanted = new Map([...wanted].slice(maxKeys));
      inFlight++;
      void read(group).finally(() => {
        inFlight--;
        goOn();
      });
      goOn();
    });
  }

  /** Reads a group and settles every reader's promise; never rejects. */
  async function read(group: ReadonlyMap<string, PendingRead>): Promise<void> {
    const [first] = group.values();
    try {
      if (group.size === 1) return first?.answer.resolve(await one(first.key));
      const keys = [...group.values()].map(({ key }) => key);
      const found = new Map((await many(keys)).map((item) => [keyText(item, keys[0] ?? {}), item]));
      for (const [id, { answer }] of group) answer.resolve(found.get(id));
    } catch (cause) {
      // One bad key must not make the others fail.
      if (group.size > 1 && isErrorNamed(cause, 'ValidationException')) {
        await Promise.all([...group].map((wanted) => read(new Map([wanted]))));
      } else for (const { answer } of group.values()) answer.reject(cause);
    }
  }
}
