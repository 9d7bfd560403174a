/** The stored form of keys: a digest or the name of their secret, never the value. */
import type { ConfigurationFile, KeyEntry } from '#core/contracts/config.ts';
import { sha256 } from '#core/kernel/canonical.ts';

type FileKey = ConfigurationFile['tenants'][number]['api_keys'][number];
export type FileKeyObject = Exclude<FileKey, string>;

/** Normalises a key entry. A plain string is an agent's operator key without an owner. */
export const keyObject = (key: FileKey): FileKeyObject =>
  typeof key === 'string' ? { key, role: 'operator', kind: 'agent', priority: 'normal', platform: false } : key;

/** Returns the digest of a key whose value or digest is in the file, or undefined for `key_env`. */
export const digestOfKey = ({ key, key_sha256 }: FileKeyObject): string | undefined =>
  key === undefined ? key_sha256 : sha256(key);

export const storedKeys = (keys: readonly FileKey[]): KeyEntry[] => keys.map((key) => storedKey(keyObject(key)));

function storedKey(entry: FileKeyObject): KeyEntry {
  const { key: _key, key_env, key_sha256: _digest, ...settings } = entry;
  const digest = digestOfKey(entry);
  if (digest !== undefined) return { ...settings, key_sha256: digest };
  if (key_env !== undefined) return { ...settings, key_env };
  throw new TypeError('a key entry without key, key_env and key_sha256 passed the checks');
}
