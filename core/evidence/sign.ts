/** Signs a session's manifest, once per state of its chain. */
import type { SessionManifest } from '#core/contracts/evidence.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { firstEntries } from './bundle.ts';
import type { StoredEntry } from './entry-text.ts';
import { followChain } from './follow-chain.ts';
import type { ManifestStore, SessionHead, Signer } from './ports.ts';
import { manifestBytes } from './session-manifest.ts';
import { ChainWalk, headEnd } from './walk.ts';
import type { Witness } from './witness.ts';

/**
 * Error for a chain that does not lead to its stored head. This is an incident on the gateway's side, so clients see no
 * details.
 */
export class BrokenChain extends GatewayError {
  constructor(message: string) {
    super('server_error', message);
  }
}

/**
 * Error for a chain that contradicts its checkpoint or archive. The chain was rewritten, and it will not be signed
 * again.
 */
class ChainNotContinued extends BrokenChain {}

/**
 * Returns the stored manifest for this head, or signs one now. Concurrent readers all get the one that was stored
 * first.
 * @param entries the session's chain from its beginning; read only if the entries have to be checked.
 * @param witness checkpoint and archive: a chain that does not continue its last checkpoint is not signed.
 * @throws BrokenChain if the entries do not lead to the head, ChainNotContinued if they contradict the witness.
 */
export async function signedManifest(
  head: SessionHead,
  entries: AsyncIterable<StoredEntry> | Iterable<StoredEntry>,
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
    const message = `Session ${head.session_id} is not signed because its chain is broken: ${where}.`;
    throw walk.contradicted ? new ChainNotContinued(message) : new BrokenChain(message);
  }
  if (kept) return kept;
  const value = await signer.sign(manifestBytes(manifest));
  return store.put({ ...manifest, signature: { alg: 'ECDSA_P256_SHA256', key_id: signer.keyId, value } });
}

/** Reports whether a stored manifest can be used without reading the chain. */
function fixesThe({ total_entries, last_hash }: SessionHead, { checkpoint, archived }: Partial<Witness> = {}): boolean {
  if (!checkpoint && !archived) return true;
  return checkpoint?.point.index === total_entries - 1 && checkpoint.point.hash === last_hash;
}
