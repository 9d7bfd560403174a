/** Verifies a session bundle in this browser with the verifier of the command line. Loaded when it is first asked for. */
import './no-eval.ts';
import type { Verification } from '#core/contracts/evidence.ts';
import { type EntryLine, verifyBundle } from '#core/evidence/verify.ts';

export interface Verified {
  readonly verification: Verification;
  readonly lines: readonly EntryLine[];
}

/**
 * @param bundle its text or bytes: parsing would hide duplicate keys.
 * @param trustedKey PEM that the reader got elsewhere than from the gateway; without it the origin is not checked.
 */
export async function verified(bundle: string | Uint8Array, trustedKey: string | undefined): Promise<Verified> {
  const lines: EntryLine[] = [];
  const verification = await verifyBundle(bundle, trustedKey, (line) => lines.push(line));
  return { verification, lines };
}
