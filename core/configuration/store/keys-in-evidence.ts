/**
 * Evidence about a version's secrets: whose keys may make calls, and where each secret may be sent [evidence.in-force].
 */
import { digestOf } from '#core/kernel/canonical.ts';
import type { ConfigStore, SecretBindings, StoredKeyDigests } from '../ports.ts';

export interface KeysInEvidence {
  /** SHA-256 of the names and their digests. */
  readonly sha256: string;
  /** Key ids by the name of their secret. Omitted if there are too many. */
  readonly ids?: Readonly<Record<string, string>>;
}

const maxNamed = 500;

export function keysInEvidence({ digests }: Pick<StoredKeyDigests, 'digests'>): KeysInEvidence {
  const each = Object.entries(digests);
  const digest = digestOf(digests);
  if (each.length > maxNamed) return { sha256: digest };
  return { sha256: digest, ids: Object.fromEntries(each.map(([name, key]) => [name, key.slice(0, 16)])) };
}

export interface BindingsInEvidence {
  /** SHA-256 of the names and their addresses and purposes. */
  readonly sha256: string;
  /** First 16 hex digits of the SHA-256 of each name's addresses and purposes. Omitted if there are too many. */
  readonly names?: Readonly<Record<string, string>>;
}

export function bindingsInEvidence(names: SecretBindings): BindingsInEvidence {
  const each = Object.entries(names);
  const digest = digestOf(names);
  if (each.length > maxNamed) return { sha256: digest };
  return { sha256: digest, names: Object.fromEntries(each.map(([name, uses]) => [name, digestOf(uses).slice(0, 16)])) };
}

/**
 * Returns the keys and bindings of a version. Empty if another version has become active in the meantime, because that
 * version's entry names its own secrets.
 */
export async function secretsOfVersion(
  configStore: Pick<ConfigStore, 'bindings' | 'inForce'>,
  version: number,
): Promise<{ readonly keys?: KeysInEvidence; readonly bindings?: BindingsInEvidence }> {
  // Bindings change only with a version, so those read before the version was seen to be active belong to it.
  const { names } = await configStore.bindings();
  const held = await configStore.inForce();
  if (held?.row.version !== version) return {};
  return { keys: keysInEvidence(held.keys), bindings: bindingsInEvidence(names) };
}
