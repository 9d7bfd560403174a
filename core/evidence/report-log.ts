/** Checks a session against the transparency log, for reports written by the gateway [evidence.report]. */
import type { Verification } from '#core/contracts/evidence.ts';
import type { LogProof } from '#core/contracts/transparency.ts';
import { checkLogProof, type LogTrust } from '#core/evidence/transparency/session-proof.ts';

/**
 * Adds the result of the log check to a verification.
 * @param proof undefined if the session is not in the log yet, or the log cannot be read.
 * @param hashAt the chain's hash at the leaf's index; undefined if the chain ends before it.
 */
export function withLog(
  verification: Verification,
  session: { readonly tenant: string; readonly session_id: string },
  proof: LogProof | undefined,
  hashAt: string | undefined,
  trust: LogTrust,
): Verification {
  const not_checked = [...verification.not_checked, 'log not checked: it contains no leaf of the session yet'];
  if (proof === undefined) return { ...verification, not_checked };
  if (!verification.valid) return verification;
  const checked = checkLogProof(proof, session, trust);
  if (typeof checked === 'string') return brokenVerification(verification, verification.total_entries, checked);
  const { leaf, position, origin, size, seen } = checked;
  if (hashAt !== leaf.hash) return brokenVerification(verification, leaf.index, departure(hashAt));
  return { ...verification, log: { origin, size, position, index: leaf.index, at: leaf.at, witnesses: seen } };
}

const departure = (hashAt: string | undefined): string =>
  hashAt === undefined
    ? 'the end is cut off: the log names this entry'
    : 'the entry is not the one in the log: it or one before it was rewritten';

const brokenVerification = (verification: Verification, index: number, reason: string): Verification => ({
  ...verification,
  valid: false,
  broken_link: { index, reason },
});
