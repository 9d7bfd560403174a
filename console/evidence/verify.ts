/** Verifies the bundle of a single HTML file with the command line's verifier. */
import './no-eval.ts';
import type { Verification } from '#core/contracts/evidence.ts';
import { logTrustOf } from '#core/evidence/transparency/witness-keys.ts';
import { verifyBundle } from '#core/evidence/verify.ts';

/** Keys that the reader obtained from a source other than the gateway. */
export interface TrustedKeys {
  /** PEM; if absent, the origin is not checked. */
  readonly trustedKey: string | undefined;
  /** Verifier keys of the log and of witnesses, one per line. With them, the bundle must be in that log and each
   * witness must have cosigned it. */
  readonly logKeys: string;
}

/**
 * @param bundle the text of the bundle, because parsing would hide duplicate keys.
 * @throws TypeError for a line that is not a verifier key.
 */
export const verifyText = async (bundle: string, { trustedKey, logKeys }: TrustedKeys): Promise<Verification> =>
  verifyBundle(bundle, trustedKey, undefined, undefined, logTrustOf(logKeys));
