/**
 * Keys for processes that share a store, in one folder that each process mounts read-only: the evidence signing key,
 * the transparency log's key and the capability ticket key [shared.gateways].
 */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Signer } from '#core/evidence/ports.ts';
import { createDurably, undefinedIfMissing } from './durable-file.ts';
import { type LogKeys, logKeysOf, sharedLogKey } from './log-keys.ts';
import { readSigner, signingKeyPem, stateSigner } from './signing-keys.ts';
import { sharedTicketKey, ticketKeyIn } from './ticket-key.ts';

export interface SharedKeys {
  readonly signer: Signer;
  readonly log: LogKeys;
  readonly ticket: string;
}

const needed = ['signing-key.pem', 'log-key.pem', 'ticket-key'] as const;

/**
 * Reads the keys. @throws Error that names the missing files. No key is created here, because a key known to only one
 * process would divide the store.
 */
export async function sharedKeys(folder: string): Promise<SharedKeys> {
  const texts = await Promise.all(needed.map((name) => readFile(join(folder, name), 'utf8').catch(undefinedIfMissing)));
  const missing = needed.filter((_name, at) => !texts[at]?.trim());
  if (missing.length > 0)
    throw new Error(
      `The key folder ${folder} lacks ${missing.join(', ')}. Create the missing keys once with --make-keys, and give the same files to every gateway that uses the store.`,
    );
  const [signer, log] = await Promise.all([readSigner(folder), logKeysOf(folder)]);
  return { signer, log, ticket: ticketKeyIn(texts[2]!, join(folder, 'ticket-key')) };
}

/**
 * Creates the missing keys. All except the signing key are derived from the signing key, as in processes without such a
 * folder, so a store in use keeps its log and its tickets.
 * @returns the names of the created files.
 */
export async function makeKeys(folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const before = await Promise.all(needed.map((name) => readFile(join(folder, name)).catch(undefinedIfMissing)));
  await stateSigner(folder);
  const pem = await signingKeyPem(folder);
  await logKeysOf(folder, async () => sharedLogKey(pem));
  await createDurably(join(folder, 'ticket-key'), sharedTicketKey(pem));
  return needed.filter((_name, at) => before[at] === undefined);
}
