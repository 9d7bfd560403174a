/** A state folder's keys: generated once, mode 0600, printed in the ready line. */
import { generateKeyPair, randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createDurably } from './durable-file.ts';
import { privateKeyIn } from './private-key.ts';

export interface LocalKeys {
  readonly agent: string;
  readonly human: string;
  readonly viewer: string;
  readonly admin_token: string;
}

const names = ['agent', 'human', 'viewer', 'admin_token'] as const satisfies (keyof LocalKeys)[];
const generate = (name: string) => `agw_${name.replace('_token', '')}_${randomBytes(24).toString('base64url')}`;

export const keysPath = (stateFolder: string): string => join(stateFolder, 'keys.json');

/** Returns the folder's keys, generating them if there are none. */
export async function localKeys(stateFolder: string): Promise<LocalKeys> {
  const path = keysPath(stateFolder);
  await mkdir(stateFolder, { recursive: true, mode: 0o700 });
  const generated = Object.fromEntries(names.map((name) => [name, generate(name)]));
  if (!(await createDurably(path, `${JSON.stringify(generated, null, 2)}\n`))) await chmod(path, 0o600);
  const keys = keysIn(await readFile(path, 'utf8'), path);
  const missing = names.filter((name) => typeof keys[name] !== 'string' || keys[name].length < 16);
  if (missing.length > 0)
    throw new Error(`${path} lacks ${missing.join(', ')}; remove the file to have new keys made.`);
  return keys as LocalKeys;
}

function keysIn(text: string, path: string): Partial<LocalKeys> {
  try {
    return { ...JSON.parse(text) };
  } catch (cause) {
    throw new Error(`${path} is not valid JSON; remove the file to have new keys made.`, { cause });
  }
}

/** Returns the demonstration app's RSA key as PEM; the scm broker signs with it. */
export async function demoAppKey(stateFolder: string): Promise<string> {
  const path = join(stateFolder, 'scm-app-key.pem');
  const found = await readFile(path, 'utf8').catch(() => undefined);
  if (found !== undefined) return privateKeyIn(found, path) && found;
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  await mkdir(stateFolder, { recursive: true, mode: 0o700 });
  await createDurably(path, privateKey.export({ format: 'pem', type: 'pkcs8' }));
  return readFile(path, 'utf8');
}
