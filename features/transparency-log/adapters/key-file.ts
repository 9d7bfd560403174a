/** An Ed25519 key of a log or a witness, in a file. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createDurably, undefinedIfMissing } from '#adapters/local/durable-file.ts';
import { privateKeyIn } from '#adapters/local/private-key.ts';

/**
 * Loads the key in `path`, creating it with mode 0600 if there is none. @throws Error if the file contains a different
 * kind of key.
 * @param made the key to store; random by default.
 */
export async function ed25519KeyFile(
  path: string,
  made: () => Promise<KeyObject> = async () => generateKeyPairSync('ed25519').privateKey,
): Promise<KeyObject> {
  const found = await readKey(path);
  if (found) return found;
  const privateKey = await made();
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await createDurably(path, privateKey.export({ format: 'pem', type: 'pkcs8' }));
  return (await readKey(path)) ?? privateKey; // if another process created its key first, that key is used
}

async function readKey(path: string): Promise<KeyObject | undefined> {
  const pem = await readFile(path, 'utf8').catch(undefinedIfMissing);
  if (pem === undefined) return undefined;
  const key = privateKeyIn(pem, path);
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${path} contains no Ed25519 key.`);
  return key;
}
