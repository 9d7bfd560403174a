/** The Ed25519 key of the transparency log, kept in a file of the state folder. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sha256 } from '#core/kernel/canonical.ts';
import { type NoteSigner, noteSigner, rawKey } from '#core/transparency/note.ts';
import { createDurably } from './durable-file.ts';

/** The key in `path`, generated with mode 0600 when there is none. @throws Error when the file holds another kind of key. */
export async function ed25519KeyFile(path: string): Promise<KeyObject> {
  const found = await read(path);
  if (found) return found;
  const { privateKey } = generateKeyPairSync('ed25519');
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await createDurably(path, privateKey.export({ format: 'pem', type: 'pkcs8' }));
  return (await read(path)) ?? privateKey; // another process may have been first: its key stays
}

/** The signer of each tenant's log. The origin carries a digest of the key, so no two gateways share one. */
export function logSigners(key: KeyObject): (tenant: string) => NoteSigner {
  const id = sha256(rawKey(createPublicKey(key))).slice(0, 16);
  return (tenant) => noteSigner(`agent-governance-gateway/${id}/${encodeURIComponent(tenant)}`, key);
}

async function read(path: string): Promise<KeyObject | undefined> {
  const pem = await readFile(path, 'utf8').catch((fault: NodeJS.ErrnoException) => {
    if (fault.code !== 'ENOENT') throw fault;
    return undefined;
  });
  if (pem === undefined) return undefined;
  const key = createPrivateKey(pem);
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${path} holds no Ed25519 key.`);
  return key;
}
