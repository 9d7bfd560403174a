/** Verifies a session where it lives: entries, stored head, signed manifest, checkpoint and archive. */
import type { EvidenceEntry, SessionManifest, UnsignedManifest, Verification } from '#core/contracts/evidence.ts';
import { signingKeysOf } from './key-succession.ts';
import type { ManifestStore, SessionHead, Signer } from './ports.ts';
import { manifestOf } from './session-manifest.ts';
import { BrokenChain, signedManifest } from './sign.ts';
import { type EntryLine, verifyChain, verifySteps } from './verify.ts';
import type { Witness } from './witness.ts';

export interface LiveSession {
  readonly head: SessionHead;
  /** The chain from its beginning, up to the head: entries appended meanwhile are left out. */
  readonly entries: () => AsyncIterable<EvidenceEntry>;
  readonly signer: Signer;
  readonly sessionManifests: ManifestStore;
  /** What other places say of the session, asked before the head was read. */
  readonly witness?: Witness;
  /** How many entries the last reading took from the archive, since their rows expired. */
  readonly expired?: () => number;
}

interface LiveVerification {
  readonly verification: Verification;
  /** Unsigned when the chain is broken and was never signed in this state: good for a report, not for an export. */
  readonly manifest: SessionManifest | UnsignedManifest;
}

/** A broken chain is an answer here, not a fault: valid true or valid false, no other states. */
/** @param onEntry is called for each entry, in order. */
export async function verifyLive(session: LiveSession, onEntry?: (line: EntryLine) => void): Promise<LiveVerification> {
  const { expectation, manifest } = await expectedOf(session);
  const verification = await verifyChain(session.entries(), { ...expectation, onEntry });
  return { verification: { ...verification, ...expiredOf(session) }, manifest };
}

/** The same entry by entry, for sessions whose list of entries is not held in memory. */
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
