/**
 * The transparency log's keys in a state folder: the current private key, the previous one while both are signing, and
 * the public keys of all earlier ones, oldest first [transparency.log].
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, hkdfSync, type KeyObject } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { syncFolder, undefinedIfMissing, writeDurably } from '#adapters/local/durable-file.ts';
import { privateKeyIn } from '#adapters/local/private-key.ts';
import { logSigner } from '#core/evidence/transparency/checkpoint-note.ts';
import { type LogSigner, logKeyOf, rawKey } from '#core/evidence/transparency/note.ts';
import { ed25519KeyFile } from './key-file.ts';

/** Name of the file that contains the current key. */
export const keyFile = 'log-key.pem';

const keyPath = (folder: string): string => join(folder, keyFile);
const previousPath = (folder: string): string => join(folder, 'log-key-previous.pem');
const formerPath = (folder: string): string => join(folder, 'log-keys.json');

export interface LogKeys {
  readonly current: KeyObject;
  /** Private key that signs in addition to the current one. */
  readonly previous?: KeyObject;
  /** Public keys before the current one, oldest first; the last of them is the previous key. */
  readonly former: readonly KeyObject[];
}

/** Reads the keys. @param made creates the folder's first key; random by default. */
export async function logKeysOf(folder: string, made?: () => Promise<KeyObject>): Promise<LogKeys> {
  const current = await ed25519KeyFile(keyPath(folder), made);
  const same = (key: KeyObject) => rawKey(key).equals(rawKey(createPublicKey(current)));
  const former = (await formerKeys(folder)).filter((key) => !same(key));
  const pem = await readFile(previousPath(folder), 'utf8').catch(undefinedIfMissing);
  const previous = pem === undefined ? undefined : privateKeyIn(pem, previousPath(folder));
  // An interrupted rotation leaves the current key as the previous one.
  return { current, former, ...(previous && !same(createPublicKey(previous)) && { previous }) };
}

/** Returns the signer of each tenant's log. */
export const logSignersOf =
  ({ current, previous, former }: LogKeys) =>
  async (tenant: string): Promise<LogSigner> => {
    const publicKey = createPublicKey(current);
    const first = former[0] ?? publicKey;
    const signing = (privateKey: KeyObject) =>
      logSigner({ ...logKeyOf(createPublicKey(privateKey), tenant, first), privateKey });
    const beside = previous && signing(previous);
    const silent = former
      .map((key) => logKeyOf(key, tenant, first))
      .filter(({ id }) => !beside?.id.equals(id))
      .reverse();
    return { ...signing(current), ...(beside && { beside }), ...(silent.length > 0 && { former: silent }) };
  };

/**
 * Replaces the current key. The old key also signs until `retireLogKey` is called. No gateway may be running on the
 * folder meanwhile. A crash midway leaves the log unchanged, with one additional key listed.
 * @throws Error while an earlier key is still signing.
 */
export async function rotateLogKey(folder: string): Promise<{ from: string; to: string }> {
  const { current, previous } = await logKeysOf(folder);
  if (previous) throw new Error('Two log keys already sign: retire one with --retire-log-key, then rotate again.');
  const before = createPublicKey(current);
  const listed = await formerKeys(folder);
  const others = listed.filter((key) => !rawKey(key).equals(rawKey(before)));
  const pems = [...others, before].map((key) => key.export({ format: 'pem', type: 'spki' }).toString());
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  await writeDurably(formerPath(folder), `${JSON.stringify({ former: pems }, null, 2)}\n`);
  await writeDurably(previousPath(folder), current.export({ format: 'pem', type: 'pkcs8' }));
  await writeDurably(keyPath(folder), privateKey.export({ format: 'pem', type: 'pkcs8' }));
  return { from: fingerprint(before), to: fingerprint(publicKey) };
}

/** Removes the previous private key, which was still signing. @throws Error if there is none. */
export async function retireLogKey(folder: string): Promise<{ retired: string }> {
  const { previous } = await logKeysOf(folder);
  if (!previous)
    throw new Error('Only one log key signs, so there is none to retire. --rotate-log-key creates a second one.');
  await rm(previousPath(folder));
  await syncFolder(folder);
  return { retired: fingerprint(createPublicKey(previous)) };
}

/** Returns the first 16 hex digits of the key's hash; a log's name contains the fingerprint of its first key. */
export const fingerprint = (key: KeyObject): string => logKeyOf(key, 'x').name.split('/')[1]!;

/**
 * Returns the log key that processes sharing a store derive from the store's signing key. The derivation cannot be
 * reversed.
 */
export function sharedLogKey(signingKeyPem: string): KeyObject {
  const secret = createPrivateKey(signingKeyPem).export({ format: 'der', type: 'pkcs8' });
  const seed = hkdfSync('sha256', secret, '', 'agent-governance-gateway transparency log', 32);
  const key = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.from(seed)]);
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
}

const listSchema = z.strictObject({ former: z.array(z.string()).max(32) });

async function formerKeys(folder: string): Promise<KeyObject[]> {
  const text = await readFile(formerPath(folder), 'utf8').catch(undefinedIfMissing);
  if (text === undefined) return [];
  try {
    return listSchema.parse(JSON.parse(text)).former.map((pem) => createPublicKey(pem));
  } catch (cause) {
    throw new Error(`${formerPath(folder)} is not a list of log keys: restore it from a copy.`, { cause });
  }
}
