/** Verifies a session bundle in a browser with the verifier of the command line. */
import './no-eval.ts';
import type { Verification } from '#core/contracts/evidence.ts';
import { logTrustOf } from '#core/evidence/transparency/witness-keys.ts';
import { verifyBundle } from '#core/evidence/verify.ts';

/** Keys that the reader has from a source other than the gateway. */
export interface TrustedKeys {
  /** PEM; without it the origin is not checked. */
  readonly trustedKey: string | undefined;
  /** Verifier keys of the log and of witnesses, one on each line; with them the bundle must be in that log, and seen by each witness. */
  readonly logKeys: string;
}

/**
 * @param bundle its text or bytes: parsing would hide duplicate keys.
 * @param progress is called after each entry with the number of entries so far.
 * @throws TypeError for a line that is not a verifier key.
 */
export async function verified(
  bundle: string | Uint8Array,
  { trustedKey, logKeys }: TrustedKeys,
  progress: (entries: number) => void = () => {},
): Promise<Verification> {
  let entries = 0;
  return verifyBundle(bundle, trustedKey, () => progress(++entries), undefined, logTrustOf(logKeys));
}
