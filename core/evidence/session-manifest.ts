/** The session manifest: a signed summary of a session's chain. */
import type { SessionManifest, UnsignedManifest } from '#core/contracts/evidence.ts';
import { canonicalize, hashDomain, sha256 } from '#core/kernel/canonical.ts';
import type { SessionHead } from './ports.ts';
import type { CredentialProvenance } from './tally.ts';

/**
 * Returns the manifest of a chain that ends at `head`. It does not depend on the current time, so the same chain always
 * gives the same manifest.
 * @param credentials in the order of their entries. They are not part of the head, which is kept small.
 */
export function manifestOf(head: SessionHead, credentials: readonly CredentialProvenance[]): UnsignedManifest {
  const manifest = {
    session_id: head.session_id,
    tenant: head.tenant,
    total_entries: head.total_entries,
    first_hash: head.first_hash,
    last_hash: head.last_hash,
    counts: { ...head.counts },
    policy_versions: [...head.policy_versions],
    credentials: credentials.map(({ id, type, scope }) => ({ id, type, scope })),
    created_at: head.updated_at,
  };
  return { ...manifest, session_manifest_hash: manifestHash(manifest) };
}

/** Returns the bytes to hash and sign: 0x01 ‖ JCS(manifest without session_manifest_hash and signature). */
export function manifestBytes(manifest: object): Uint8Array {
  return new TextEncoder().encode(String.fromCharCode(hashDomain.manifest) + manifestText(manifest));
}

/** Computes the `session_manifest_hash` of a manifest from all its other fields. */
export const manifestHash = (manifest: object): string => sha256(manifestText(manifest), hashDomain.manifest);

function manifestText(manifest: object): string {
  const { session_manifest_hash: _hash, signature: _signature, ...rest } = manifest as Partial<SessionManifest>;
  return canonicalize(rest);
}
