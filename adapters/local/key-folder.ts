/**
 * Keys for processes that share a store, in one folder that each process mounts read-only: the evidence signing key,
 * the capability ticket key and, if a feature has one, a further key [shared.gateways].
 */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Signer } from '#core/evidence/ports.ts';
import { createDurably, undefinedIfMissing } from './durable-file.ts';
import { readSigner, signingKeyPem, stateSigner } from './signing-keys.ts';
import { sharedTicketKey, ticketKeyIn } from './ticket-key.ts';

export interface SharedKeys {
  readonly folder: string;
  readonly signer: Signer;
  readonly ticket: string;
}

/** A feature's key in the folder. The feature reads it. */
export interface FurtherKey {
  /** Name of its file. */
  readonly file: string;
  /** Creates the key, derived from the store's signing key, if it is missing. */
  readonly make: (folder: string, signingKeyPem: string) => Promise<void>;
}

const fileNames = (further: FurtherKey | undefined): string[] => [
  'signing-key.pem',
  ...(further ? [further.file] : []),
  'ticket-key',
];

/**
 * Reads the keys. @throws Error that names the missing files. No key is created here, because a key known to only one
 * process would divide the store.
 */
export async function sharedKeys(folder: string, further: FurtherKey | undefined): Promise<SharedKeys> {
  const needed = fileNames(further);
  const texts = await Promise.all(needed.map((name) => readFile(join(folder, name), 'utf8').catch(undefinedIfMissing)));
  const missing = needed.filter((_name, at) => !texts[at]?.trim());
  if (missing.length > 0)
    throw new Error(
      `The key folder ${folder} lacks ${missing.join(', ')}. Create the missing keys once with --make-keys, and give the same files to every gateway that uses the store.`,
    );
  return { folder, signer: await readSigner(folder), ticket: ticketKeyIn(texts.at(-1)!, join(folder, 'ticket-key')) };
}

/**
 * Creates the missing keys. All except the signing key are derived from the signing key, as in processes without such a
 * folder, so a store in use keeps its log and its tickets.
 * @returns the names of the created files.
 */
export async function makeKeys(folder: string, further: FurtherKey | undefined): Promise<string[]> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const needed = fileNames(further);
  const before = await Promise.all(needed.map((name) => readFile(join(folder, name)).catch(undefinedIfMissing)));
  await stateSigner(folder);
  const pem = await signingKeyPem(folder);
  await further?.make(folder, pem);
  await createDurably(join(folder, 'ticket-key'), sharedTicketKey(pem));
  return needed.filter((_name, at) => before[at] === undefined);
}
