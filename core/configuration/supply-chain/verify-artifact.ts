/**
 * Verifies a plugin's entry: envelope, delegation, dates, revocation [supply-chain.envelope]. The sequence is checked
 * with the index.
 */

import { type ArtifactPredicate, artifactPredicate, type PluginEntry, pluginSizes } from './documents.ts';
import { openEnvelope } from './envelope.ts';
import { refuseDocument } from './refusal.ts';
import { type Publisher, parseDocument, type TrustedIndex } from './verify-index.ts';

type Trust = Omit<TrustedIndex, 'index' | 'seen'>;

/**
 * Runs the checks that do not need the bytes.
 * @param now milliseconds since 1970
 * @returns the publisher's key id
 * @throws SupplyChainRefusal with the first check that failed
 */
export function verifyEntry(entry: PluginEntry, trust: Trust, now: number): string {
  const keys = new Map([...trust.publishers].map(([id, [first]]) => [id, first!.key]));
  const { keyId, subject, predicate } = openEnvelope(entry.envelope, 'artifact', keys);
  const said = parseDocument(artifactPredicate, predicate, 'artifact');
  checkAgreement(entry, said, subject);
  checkDelegation(entry.name, trust.publishers.get(keyId)!, now);
  if (trust.revokedKeys.has(keyId))
    refuseDocument('key_revoked', `key ${keyId}, which signed ${entry.name}, is revoked`);
  if (trust.revokedArtifacts.has(entry.sha256))
    refuseDocument('artifact_revoked', `${entry.name} ${entry.version} is revoked by its digest ${entry.sha256}`);
  if (entry.size > pluginSizes.artifactBytes)
    refuseDocument('size_exceeded', `${entry.name} has ${entry.size} bytes, allowed ${pluginSizes.artifactBytes}`);
  return keyId;
}

/** Checks that the publisher signed every member of the index entry. */
function checkAgreement(entry: PluginEntry, said: ArtifactPredicate, subject: { name: string; sha256: string }): void {
  const differing = [
    ...Object.keys(artifactPredicate.shape).filter(
      (member) =>
        JSON.stringify(entry[member as keyof PluginEntry]) !== JSON.stringify(said[member as keyof ArtifactPredicate]),
    ),
    ...(subject.sha256 === entry.sha256 ? [] : ['sha256']),
    ...(subject.name === entry.name ? [] : ['subject']),
  ];
  if (differing.length > 0)
    refuseDocument('statement_mismatch', `index and publisher differ about ${entry.name}: ${differing.join(', ')}`);
}

function checkDelegation(name: string, grants: readonly Publisher[], now: number): void {
  const fitting = grants.filter(({ patterns }) => patterns.some((pattern) => matchesName(pattern, name)));
  if (fitting.length === 0) {
    const patterns = grants.flatMap((grant) => grant.patterns).join(', ');
    refuseDocument('delegation_missing', `the publisher of ${name} may sign only ${patterns}`);
  }
  if (!fitting.some(({ notAfter }) => Date.parse(notAfter) > now))
    refuseDocument('delegation_expired', `the delegation for ${name} ended at ${fitting[0]?.notAfter}`);
}

const matchesName = (pattern: string, name: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
