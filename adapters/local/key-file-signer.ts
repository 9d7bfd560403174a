/** Signs session manifests with a key in a file; on AWS a KMS key does. */
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Signer } from '#core/evidence/ports.ts';
import { createDurably } from './durable-file.ts';
import { privateKeyIn } from './private-key.ts';

/**
 * Loads the key in `path`, generating one with mode 0600 if there is none. The key id is the first 16 hex of
 * SHA-256(SPKI DER).
 */
export async function keyFileSigner(path: string): Promise<Signer> {
  return signerOf(await readOrGenerate(path));
}

export function signerOf(privateKey: KeyObject): Signer {
  const publicKey = createPublicKey(privateKey);
  const spki = publicKey.export({ format: 'der', type: 'spki' });
  const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString();
  return {
    keyId: createHash('sha256').update(spki).digest('hex').slice(0, 16),
    sign: async (message) => sign('sha256', message, { key: privateKey, dsaEncoding: 'der' }).toString('base64'),
    publicKey: async () => pem,
  };
}

async function readOrGenerate(path: string): Promise<KeyObject> {
  const found = await read(path);
  if (found !== undefined) return found;
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await createDurably(path, privateKey.export({ format: 'pem', type: 'pkcs8' }));
  return (await read(path)) ?? privateKey; // if another process was first, its key is used
}

async function read(path: string): Promise<KeyObject | undefined> {
  let pem: string;
  try {
    pem = await readFile(path, 'utf8');
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw fault;
  }
  return signingKeyIn(pem, path);
}

/** Parses a signing key. @throws Error for another kind of key */
export function signingKeyIn(pem: string, path: string): KeyObject {
  const key = privateKeyIn(pem, path);
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Error(`${path} holds no ECDSA P-256 key.`);
  return key;
}
