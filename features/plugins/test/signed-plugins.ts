/** A root key, a publisher and a signed index. A test can change each part of the index before it is signed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PluginEntry } from '#core/configuration/supply-chain/documents.ts';
import { generateKeys, keyIdOf, privateKeyOf, publicKeyOf } from '#core/configuration/supply-chain/keys.ts';
import { signEntry, signStatement } from '../sign.ts';

export const guardBytes = readFileSync(join(__dirname, '../../../plugins/keyword-guard.wasm'));

const pair = (kind: 'ed25519' | 'p256') => {
  const pem = generateKeys(kind);
  return { pem, key: privateKeyOf(pem.privateKey), id: keyIdOf(publicKeyOf(pem.publicKey)) };
};
export const rootKeys = pair('ed25519');
export const publisherKeys = pair('p256');
export const strangerKeys = pair('ed25519');
export const now = Date.parse('2026-11-23T09:00:00Z');

export const about = {
  name: 'keyword-guard',
  version: '1.2.0',
  description: 'Flags keywords',
  author: 'Example',
  kind: 'wasm_filter',
  abi: 'wasm-filter-1',
  phase: 'input',
  permissions: ['content', 'metadata'],
  url: 'keyword-guard.wasm',
  tags: ['keywords'],
};

export const entryOf = (changes: object = {}, bytes: Uint8Array = guardBytes, keys = publisherKeys): PluginEntry =>
  signEntry(keys.key, { ...about, ...changes }, bytes);

/** Documents signed by the root key. */
interface Parts {
  readonly plugins?: readonly unknown[];
  readonly index?: object;
  readonly delegations?: object;
  readonly revocations?: object;
  readonly grant?: object;
}

export const delegationOf = (changes: object = {}) => ({
  public_key: publisherKeys.pem.publicKey,
  patterns: ['keyword-*'],
  not_after: '2099-01-01T00:00:00Z',
  ...changes,
});

export function indexOf(
  { plugins = [entryOf()], index, delegations, revocations, grant }: Parts = {},
  keys = rootKeys,
) {
  return {
    index: signStatement(keys.key, 'index', {
      format: 1,
      sequence: 5,
      issued_at: '2026-11-01T00:00:00Z',
      plugins,
      ...index,
    }),
    delegations: signStatement(keys.key, 'delegations', {
      sequence: 5,
      delegations: [delegationOf(grant)],
      ...delegations,
    }),
    revocations: signStatement(keys.key, 'revocations', { sequence: 5, keys: [], artifacts: [], ...revocations }),
  };
}
