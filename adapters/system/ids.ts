/** Generates ids and random bytes. */
import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';
import type { Ids } from '#core/kernel/ports.ts';

/**
 * Pool of random bytes, which are fetched in blocks of this size because fetching them for each id costs as much as
 * generating the id itself.
 */
const pool = Buffer.alloc(4096);
let used = pool.length;

/** Returns fresh bytes. Each part of the pool is returned only once, and is overwritten only by the next fill. */
function fresh(bytes: number): Buffer {
  if (bytes > pool.length) return randomFillSync(Buffer.alloc(bytes));
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return pool.subarray(used - bytes, used);
}

/** Bytes of the last id. They are formatted here because the library joins an id's text from 20 pieces. */
const made = Buffer.alloc(16);

export const systemIds: Ids = {
  uuid() {
    v7({ random: fresh(16) }, made);
    const hex = made.toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  },
  randomHex: (bytes) => fresh(bytes).toString('hex'),
};
