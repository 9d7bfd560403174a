/**
 * A state folder's signing keys: the current private key, and the list of earlier public keys with the statements that
 * link them. Rotated private keys are not kept.
 */
import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type SigningKeys, signingKeysSchema } from '#core/contracts/evidence.ts';
import { signingKeysOf, signSuccession } from '#core/evidence/key-succession.ts';
import type { Signer } from '#core/evidence/ports.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { type Clock, isoTime } from '#core/kernel/ports.ts';
import { createDurably, undefinedIfMissing, writeDurably } from './durable-file.ts';
import { privateKeyIn } from './private-key.ts';

const privatePath = (folder: string): string => join(folder, 'signing-key.pem');
const publishedPath = (folder: string): string => join(folder, 'signing-keys.json');

/** Reads the current private key, which exists only after a signer has been created. */
export const signingKeyPem = (folder: string): Promise<string> => readFile(privatePath(folder), 'utf8');

/** Returns a state folder's signer, creating its key if there is none, and adds that key to the published keys. */
export async function stateSigner(folder: string): Promise<Signer> {
  const signer = await keyFileSigner(privatePath(folder));
  const { keys, listed } = await listedKeys(folder, signer);
  if (!listed) await publish(folder, keys);
  return { ...signer, keys: async () => keys };
}

/** Returns a read-only folder's signer. @throws Error if it has no key */
export async function readSigner(folder: string): Promise<Signer> {
  const signer = signerOf(signingKeyIn(await signingKeyPem(folder), privatePath(folder)));
  const { keys } = await listedKeys(folder, signer);
  return { ...signer, keys: async () => keys };
}

/** Returns the published keys, starting with the signer's own. */
async function listedKeys(
  folder: string,
  signer: Signer,
): Promise<{ readonly keys: SigningKeys; readonly listed: boolean }> {
  const published = await publishedKeys(folder);
  const [own] = (await signingKeysOf(signer)).keys;
  const others = published.keys.filter(({ key_id }) => key_id !== signer.keyId);
  return {
    keys: { keys: [own!, ...others], successions: published.successions },
    listed: published.keys[0]?.key_id === signer.keyId,
  };
}

/**
 * Replaces the current key; no gateway may be running on the folder meanwhile. The statement that links the keys is
 * published first, so a crash midway leaves a listed key that signs nothing.
 */
export async function rotateSigningKey(folder: string, clock: Clock): Promise<{ from: string; to: string }> {
  const previous = await stateSigner(folder);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const next = signerOf(privateKey);
  const { keys, successions } = await signingKeysOf(previous);
  const [own] = (await signingKeysOf(next)).keys;
  const succession = await signSuccession(previous, next, isoTime(clock.now()));
  await publish(folder, { keys: [own!, ...keys], successions: [...successions, succession] });
  await writeDurably(privatePath(folder), privateKey.export({ format: 'pem', type: 'pkcs8' }));
  return { from: previous.keyId, to: next.keyId };
}

const publish = (folder: string, keys: SigningKeys): Promise<void> =>
  writeDurably(publishedPath(folder), `${JSON.stringify(keys, null, 2)}\n`);

async function publishedKeys(folder: string): Promise<Pick<SigningKeys, 'keys' | 'successions'>> {
  const path = publishedPath(folder);
  const text = await readFile(path, 'utf8').catch(undefinedIfMissing);
  if (text === undefined) return { keys: [], successions: [] };
  try {
    return signingKeysSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new Error(`${path} is not a list of signing keys: restore it, or move it away to begin a new one.`, {
      cause,
    });
  }
}

/**
 * Loads the key in `path`, generating one with mode 0600 if there is none. The key id is the first 16 hex digits of
 * SHA-256(SPKI DER).
 */
export async function keyFileSigner(path: string): Promise<Signer> {
  return signerOf(await readOrGenerate(path));
}

function signerOf(privateKey: KeyObject): Signer {
  const publicKey = createPublicKey(privateKey);
  const spki = publicKey.export({ format: 'der', type: 'spki' });
  const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString();
  return {
    keyId: sha256(spki).slice(0, 16),
    sign: async (message) => sign('sha256', message, { key: privateKey, dsaEncoding: 'der' }).toString('base64'),
    publicKey: async () => pem,
  };
}

async function readOrGenerate(path: string): Promise<KeyObject> {
  const found = await readKey(path);
  if (found !== undefined) return found;
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await createDurably(path, privateKey.export({ format: 'pem', type: 'pkcs8' }));
  return (await readKey(path)) ?? privateKey; // if another process created its key first, that key is used
}

async function readKey(path: string): Promise<KeyObject | undefined> {
  const pem = await readFile(path, 'utf8').catch(undefinedIfMissing);
  return pem === undefined ? undefined : signingKeyIn(pem, path);
}

/** Parses a signing key. @throws Error for a different kind of key */
function signingKeyIn(pem: string, path: string): KeyObject {
  const key = privateKeyIn(pem, path);
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Error(`${path} contains no ECDSA P-256 key.`);
  return key;
}
