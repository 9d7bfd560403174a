/** Ids and random bytes of the machine. */
import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import type { Ids } from '#core/kernel/ports.ts';

export const systemIds: Ids = {
  uuid: () => v7(),
  randomHex: (bytes) => randomBytes(bytes).toString('hex'),
};
