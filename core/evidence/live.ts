/** Verifies a stored session: entries, head, signed manifest, checkpoint and archive. */
import type { SessionManifest, UnsignedManifest, Verification } from '#core/contracts/evidence.ts';
import type { StoredEntry } from './entry-text.ts';
import { signingKeysOf } from './key-succession.ts';
import type { ManifestStore, SessionHead, Signer } from './ports.ts';
import { manifestOf } from './session-manifest.ts';
import { BrokenChain, signedManifest } from './sign.ts';
import { type EntryLine, verifyChain, verifySteps } from './verify.ts';
import type { Witness } from './witness.ts';

export interface LiveSession {
  readonly head: SessionHead;
  /** Reads the chain from its beginning up to the head, excluding entries appended after the head was read. */
  readonly entries: () => AsyncIterable<StoredEntry>;
  readonly signer: Signer;
  readonly sessionManifests: ManifestStore;
  /** The session's checkpoint and archive, both read before the head. */
  readonly witness?: Witness;
  /** Returns how many entries the last read took from the archive because their rows had expired. */
  readonly expired?: () => number;
}

interface LiveVerification {
  readonly verification: Verification;
  /**
   * The manifest; unsigned if the chain is broken and was never signed in this state. An unsigned one is usable for a
   * report, but not for an export.
   */
  readonly manifest: SessionManifest | UnsignedManifest;
}

/**
 * Verifies a stored session. A broken chain is a result (`valid: false`), not an error.
 * @param onEntry is called for each entry, in order.
 */
export async function verifyLive(session: LiveSession, onEntry?: (line: EntryLine) => void): Promise<LiveVerification> {
  const { expectation, manifest } = await expectedOf(session);
  const verification = await verifyChain(session.entries(), { ...expectation, onEntry });
  return { verification: { ...verification, ...expiredOf(session) }, manifest };
}

/** Verifies like `verifyLive`, but yields results entry by entry, for sessions too large to keep in memory. */
export async function* verifyLiveSteps(session: LiveSession): AsyncGenerator<EntryLine, Verification> {
  const { expectation } = await expectedOf(session);
  const verification = yield* verifySteps(session.entries(), expectation);
  return { ...verification, ...expiredOf(session) };
}

function expiredOf({ expired }: LiveSession): Pick<Verification, 'expired_entries'> {
  const count = expired?.() ?? 0;
  return count > 0 ? { expired_entries: count } : {};
}

async function expectedOf({ head, entries, signer, sessionManifests, witness }: LiveSession) {
  const manifest = await signedManifest(head, entries(), signer, sessionManifests, witness).catch((thrown: unknown) => {
    if (thrown instanceof BrokenChain) return undefined;
    throw thrown;
  });
  const trustedPublicKey = (await signingKeysOf(signer)).keys.map(({ public_key }) => public_key);
  return { expectation: { manifest, trustedPublicKey, head, witness }, manifest: manifest ?? manifestOf(head, []) };
}
