/** Signs the manifest of a session, once for every state of its chain. */
import type { EvidenceEntry, SessionManifest } from '#core/contracts/evidence.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { firstEntries } from './bundle.ts';
import { followChain } from './pace.ts';
import type { ManifestStore, SessionHead, Signer } from './ports.ts';
import { manifestBytes } from './session-manifest.ts';
import { ChainWalk, headEnd } from './walk.ts';
import type { Witness } from './witness.ts';

/** A chain that does not lead to its stored head: an incident of the gateway, so it shows no detail to clients. */
export class BrokenChain extends GatewayError {
  constructor(message: string) {
    super('server_error', message);
  }
}

/** A chain that departs from its checkpoint or archive: it was rewritten, and it is not signed again. */
class ChainNotContinued extends BrokenChain {}

/**
 * The stored manifest of this head, signed now if it never was. Readers that race get the one that was kept.
 * @param entries the session's chain from its beginning; read only when they have to be looked at.
 * @param witness what other places say of the chain: nothing is signed that does not continue its last checkpoint.
 * @throws BrokenChain when the entries do not lead to the head, ChainNotContinued when they depart from the witness.
 */
export async function signedManifest(
  head: SessionHead,
  entries: AsyncIterable<EvidenceEntry> | Iterable<EvidenceEntry>,
  signer: Signer,
  store: ManifestStore,
  witness?: Partial<Witness>,
): Promise<SessionManifest> {
  const kept = await store.get(head.tenant, head.session_id, head.last_hash);
  if (kept && fixesThe(head, witness)) return kept;

  const walk = new ChainWalk(head, undefined, witness);
  for await (const _line of followChain(walk, firstEntries(entries, head.total_entries), witness));
  const broken = walk.broken ?? walk.disagreement([headEnd(head)]);
  const manifest = walk.manifest();
  if (broken || !manifest) {
    const where = broken ? `entry ${broken.index}: ${broken.reason}` : 'there are no entries';
    const message = `Session ${head.session_id} is not signed, its chain is broken at ${where}.`;
    throw walk.contradicted ? new ChainNotContinued(message) : new BrokenChain(message);
  }
  if (kept) return kept;
  const value = await signer.sign(manifestBytes(manifest));
  return store.put({ ...manifest, signature: { alg: 'ECDSA_P256_SHA256', key_id: signer.keyId, value } });
}

/** Whether nothing but the head's last entry has to be compared. */
function fixesThe({ total_entries, last_hash }: SessionHead, { checkpoint, archived }: Partial<Witness> = {}): boolean {
  if (!checkpoint && !archived) return true;
  return checkpoint?.point.index === total_entries - 1 && checkpoint.point.hash === last_hash;
}
