/** Ids and random bytes of the machine. */
import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';
import type { Ids } from '#core/kernel/ports.ts';

/** Randomness is fetched in pieces of this size: a call for each id costs as much as the id. */
const pool = Buffer.alloc(4096);
let used = pool.length;

/** Fresh bytes; a piece is handed out once and overwritten by the next fill only. */
function fresh(bytes: number): Buffer {
  if (bytes > pool.length) return randomFillSync(Buffer.alloc(bytes));
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return pool.subarray(used - bytes, used);
}

export const systemIds: Ids = {
  uuid: () => v7({ random: fresh(16) }),
  randomHex: (bytes) => fresh(bytes).toString('hex'),
};
