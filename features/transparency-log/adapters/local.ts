/** The transparency log of a gateway on this machine. */
import { createPublicKey } from 'node:crypto';
import { join } from 'node:path';
import { OtherSigningKey, registerKey } from '#adapters/local/registered-key.ts';
import { signingKeyPem } from '#adapters/local/signing-keys.ts';
import type { StoreOptions } from '#adapters/tables/store.ts';
import { rawKey } from '#core/evidence/transparency/note.ts';
import type { LocalLog, OpenLocalLog } from '../../feature.ts';
import { TransparencyLog } from '../log.ts';
import { folderLog } from './folder-log.ts';
import {
  fingerprint,
  keyFile,
  type LogKeys,
  logKeysOf,
  logSignersOf,
  retireLogKey,
  rotateLogKey,
  sharedLogKey,
} from './log-keys.ts';
import { logObjectsTable } from './log-objects-table.ts';
import { logTable } from './log-table.ts';

/**
 * Opens the log. Processes that share a store also share one log: its objects are in the store, and each process has
 * the log's key [transparency.log].
 */
const openLog: OpenLocalLog = async ({ stateFolder, keyFolder, store, clock }) => {
  const { shared } = store;
  const first = shared ? async () => sharedLogKey(await signingKeyPem(stateFolder)) : undefined;
  const keys = await (keyFolder === undefined ? logKeysOf(stateFolder, first) : logKeysOf(keyFolder));
  if (shared) await registerLogKey(keys, store);
  return new TransparencyLog({
    heads: logTable(store),
    objects: shared ? logObjectsTable(store) : folderLog(join(stateFolder, 'log')),
    signer: logSignersOf(keys),
    clock,
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  });
};

/** Rotates or retires the log key in the folder. */
async function changeLogKey(folder: string, what: 'rotate' | 'retire'): Promise<string> {
  if (what === 'retire') {
    const { retired } = await retireLogKey(folder);
    return `Key ${retired} of the transparency log is removed and no longer signs.`;
  }
  const { from, to } = await rotateLogKey(folder);
  return `After the next start, key ${to} signs the transparency log, together with ${from} until --retire-log-key. Publish the new log_key before that.`;
}

export const localLog: LocalLog = {
  openLog,
  appends: ({ evidence }) => evidence.log.enabled,
  logKey: { file: keyFile, make: async (folder, pem) => void (await logKeysOf(folder, async () => sharedLogKey(pem))) },
  changeLogKey,
};

/**
 * Registers the transparency log key for processes that share the store. Later processes must have the same key or a
 * successor.
 * @throws OtherSigningKey
 */
async function registerLogKey({ current, former }: LogKeys, registry: StoreOptions): Promise<void> {
  const key = createPublicKey(current);
  const own = { key_id: fingerprint(key), public_key: key.export({ format: 'pem', type: 'spki' }).toString() };
  await registerKey(registry, 'log-key', own, ({ key_id, public_key }) => {
    const registered = rawKey(createPublicKey(public_key));
    if (!former.some((each) => rawKey(each).equals(registered))) throw otherLogKey(key_id, own.key_id);
  });
}

const otherLogKey = (registered: string, own: string): OtherSigningKey =>
  new OtherSigningKey(
    `The transparency log of the store is signed with key ${registered}; this process has ${own}, which is not its successor. Copy log-key.pem, log-keys.json and log-key-previous.pem (those that exist) from a process that uses the store, or give this process its own store.`,
  );
