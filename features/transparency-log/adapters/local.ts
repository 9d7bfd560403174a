/** The transparency log of a gateway on this machine. */
import { join } from 'node:path';
import { logKeysOf, logSignersOf, sharedLogKey } from '#adapters/local/log-keys.ts';
import { registerLogKey } from '#adapters/local/registered-key.ts';
import { signingKeyPem } from '#adapters/local/signing-keys.ts';
import type { OpenLocalLog } from '../../feature.ts';
import { TransparencyLog } from '../log.ts';
import { folderLog } from './folder-log.ts';
import { logObjectsTable } from './log-objects-table.ts';
import { logTable } from './log-table.ts';

/**
 * Opens the log. Processes that share a store also share one log: its objects are in the store, and each process has
 * the log's key [transparency.log].
 */
export const openLog: OpenLocalLog = async ({ stateFolder, store, clock, ...given }) => {
  const { shared } = store;
  const first = shared ? async () => sharedLogKey(await signingKeyPem(stateFolder)) : undefined;
  const keys = given.keys ?? (await logKeysOf(stateFolder, first));
  if (shared) await registerLogKey(keys, store);
  return new TransparencyLog({
    heads: logTable(store),
    objects: shared ? logObjectsTable(store) : folderLog(join(stateFolder, 'log')),
    signer: logSignersOf(keys),
    clock,
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  });
};
