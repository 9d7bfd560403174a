/** Verifies a session bundle in a browser with the verifier of the command line. */
import './no-eval.ts';
import type { Verification } from '#core/contracts/evidence.ts';
import { verifyBundle } from '#core/evidence/verify.ts';

/**
 * @param bundle its text or bytes: parsing would hide duplicate keys.
 * @param trustedKey PEM that the reader got elsewhere than from the gateway; without it the origin is not checked.
 * @param progress is called after each entry with the number of entries so far.
 */
export async function verified(
  bundle: string | Uint8Array,
  trustedKey: string | undefined,
  progress: (entries: number) => void = () => {},
): Promise<Verification> {
  let entries = 0;
  return verifyBundle(bundle, trustedKey, () => progress(++entries));
}
