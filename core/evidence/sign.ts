/** Signs the manifest of a session, once for every state of its chain (contract §4). */
import type { EvidenceEntry, SessionManifest } from '#core/contracts/evidence.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { firstEntries } from './bundle.ts';
import { manifestBytes } from './manifest.ts';
import type { ManifestStore, SessionHead, Signer } from './ports.ts';
import { ChainWalk, headEnd } from './walk.ts';

/** A chain that does not lead to its stored head: an incident of ours, so it shows no detail to clients. */
export class BrokenChain extends GatewayError {
  constructor(message: string) {
    super('server_error', message);
  }
}

/**
 * The stored manifest of this head, signed now if it never was. Readers that race get the one that was kept.
 * @param entries the session's chain from its beginning; read only when there is something to sign.
 * @throws BrokenChain when the entries do not lead to the head: a broken chain is never signed.
 */
export async function signedManifest(
  head: SessionHead,
  entries: AsyncIterable<EvidenceEntry> | Iterable<EvidenceEntry>,
  signer: Signer,
  store: ManifestStore,
): Promise<SessionManifest> {
  const kept = await store.get(head.tenant, head.session_id, head.last_hash);
  if (kept) return kept;

  const walk = new ChainWalk(head, undefined, undefined);
  for await (const entry of firstEntries(entries, head.total_entries)) walk.follow(entry);
  const broken = walk.broken ?? walk.disagreement([headEnd(head)]);
  const manifest = walk.manifest();
  if (broken || !manifest) {
    const where = broken ? `entry ${broken.index}: ${broken.reason}` : 'there are no entries';
    throw new BrokenChain(`Session ${head.session_id} is not signed, its chain is broken at ${where}.`);
  }
  const value = await signer.sign(manifestBytes(manifest));
  return store.put({ ...manifest, signature: { alg: 'ECDSA_P256_SHA256', key_id: signer.keyId, value } });
}
