/** What an entry says of the keys that a version is in force with: who may call is part of what was put in force [evidence.in-force]. */
import { canonicalize, sha256 } from '#core/kernel/canonical.ts';
import type { ConfigStore, StoredKeyDigests } from '../ports.ts';

export interface KeysInEvidence {
  /** SHA-256 of the names with their digests. */
  readonly sha256: string;
  /** Id of each key by the name of its secret; left out where there are very many. */
  readonly ids?: Readonly<Record<string, string>>;
}

const maxNamed = 500;

export function keysInEvidence({ digests }: Pick<StoredKeyDigests, 'digests'>): KeysInEvidence {
  const each = Object.entries(digests);
  const digest = sha256(canonicalize(digests));
  if (each.length > maxNamed) return { sha256: digest };
  return { sha256: digest, ids: Object.fromEntries(each.map(([name, key]) => [name, key.slice(0, 16)])) };
}

/** Undefined where another version is in force meanwhile: its own entry names its keys. */
export async function keysOfVersion(
  configStore: Pick<ConfigStore, 'inForce'>,
  version: number,
): Promise<KeysInEvidence | undefined> {
  const held = await configStore.inForce();
  return held?.row.version === version ? keysInEvidence(held.keys) : undefined;
}
