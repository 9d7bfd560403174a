/**
 * Verifies one plugin: envelope, delegation, dates, revocation, then size, digest, ABI, permissions
 * [supply-chain.envelope]. The sequence is checked with the index. Unverified bytes are never compiled.
 */

import {
  type ArtifactPredicate,
  artifactPredicate,
  filterPermissions,
  type PluginEntry,
  pluginSizes,
  supportedAbi,
} from './documents.ts';
import { openEnvelope } from './envelope.ts';
import { sha256 } from './keys.ts';
import { refuse } from './refusal.ts';
import { type Publisher, parseDocument, type Trusted } from './verify-index.ts';

type Trust = Omit<Trusted, 'index' | 'seen'>;

/**
 * Runs the checks that are possible before the download.
 * @param now milliseconds since 1970
 * @returns key id of the publisher
 * @throws SupplyChainRefusal with the first check that failed
 */
export function verifyEntry(entry: PluginEntry, trust: Trust, now: number): string {
  const keys = new Map([...trust.publishers].map(([id, [first]]) => [id, first!.key]));
  const { keyId, subject, predicate } = openEnvelope(entry.envelope, 'artifact', keys);
  const said = parseDocument(artifactPredicate, predicate, 'artifact');
  agrees(entry, said, subject);
  delegated(entry.name, trust.publishers.get(keyId)!, now);
  if (trust.revokedKeys.has(keyId)) refuse('key_revoked', `key ${keyId}, which signed ${entry.name}, is revoked`);
  if (trust.revokedArtifacts.has(entry.sha256))
    refuse('artifact_revoked', `${entry.name} ${entry.version} is revoked by its digest ${entry.sha256}`);
  if (entry.size > pluginSizes.artifactBytes)
    refuse('size_exceeded', `${entry.name} has ${entry.size} bytes, allowed ${pluginSizes.artifactBytes}`);
  return keyId;
}

/**
 * Verifies the downloaded bytes.
 * @param compile compiles a module that follows the ABI and has no imports, or reads a pack; rejects with the error
 * @throws SupplyChainRefusal with the first check that failed
 */
export async function verifyBytes(
  entry: PluginEntry,
  bytes: Uint8Array,
  compile: (bytes: Uint8Array) => Promise<unknown>,
): Promise<void> {
  const { name, size, abi } = entry;
  if (bytes.byteLength !== size) refuse('size_mismatch', `${name} has ${bytes.byteLength} bytes, signed ${size}`);
  const digest = sha256(bytes);
  if (digest !== entry.sha256) refuse('digest_mismatch', `${name} has digest ${digest}, signed ${entry.sha256}`);
  if (entry.kind === 'policy_pack') {
    if (abi !== undefined || entry.phase !== undefined)
      refuse('abi_unsupported', `${name} is a policy pack with an ABI or a phase, allowed neither`);
  } else if (abi !== supportedAbi || entry.phase === undefined)
    refuse('abi_unsupported', `${name} has ABI ${abi} and phase ${entry.phase}, allowed ${supportedAbi} and a phase`);
  await compile(bytes).catch((cause: Error) => refuse('abi_mismatch', `${name}: ${cause.message}`, cause));
  permitted(entry);
}

/** Checks that the publisher signed every member of the index entry. */
function agrees(entry: PluginEntry, said: ArtifactPredicate, subject: { name: string; sha256: string }): void {
  const differing = [
    ...Object.keys(artifactPredicate.shape).filter(
      (member) =>
        JSON.stringify(entry[member as keyof PluginEntry]) !== JSON.stringify(said[member as keyof ArtifactPredicate]),
    ),
    ...(subject.sha256 === entry.sha256 ? [] : ['sha256']),
    ...(subject.name === entry.name ? [] : ['subject']),
  ];
  if (differing.length > 0)
    refuse('statement_mismatch', `index and publisher differ about ${entry.name}: ${differing.join(', ')}`);
}

function delegated(name: string, grants: readonly Publisher[], now: number): void {
  const fitting = grants.filter(({ patterns }) => patterns.some((pattern) => fits(pattern, name)));
  if (fitting.length === 0) {
    const patterns = grants.flatMap((grant) => grant.patterns).join(', ');
    refuse('delegation_missing', `the publisher of ${name} may sign ${patterns} only`);
  }
  if (!fitting.some(({ notAfter }) => Date.parse(notAfter) > now))
    refuse('delegation_expired', `the delegation for ${name} ended at ${fitting[0]?.notAfter}`);
}

const fits = (pattern: string, name: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

/** Checks the permissions. A pack decides on calls and receives no data. */
function permitted({ name, kind, permissions }: PluginEntry): void {
  const known: readonly string[] = kind === 'policy_pack' ? [] : filterPermissions;
  const unknown = permissions.filter((permission) => !known.includes(permission));
  if (unknown.length > 0)
    refuse('permission_unknown', `${name} requires ${unknown.join(', ')}, allowed ${known.join(', ') || 'none'}`);
  const undeclared = known.filter((permission) => !permissions.includes(permission));
  if (undeclared.length > 0)
    refuse('permission_undeclared', `${name} is given ${undeclared.join(', ')} and does not declare it`);
}
