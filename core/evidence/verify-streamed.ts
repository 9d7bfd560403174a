/** Verifies bundles of any size using little memory. */
import type { Verification } from '#core/contracts/evidence.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { parseStrict } from '#core/kernel/json.ts';
import { DigestedText } from '#core/text/secrets/digested-text.ts';
import { bundlePieces } from './bundle-pieces.ts';
import type { LoggedEntry } from './in-log.ts';
import { bundleRules, openBundle, unreadableEvidence, type VerifyBundleOptions, verifyOpened } from './verify.ts';

/**
 * Verifies a bundle in two passes: first the other members, some of which follow the entries, then the entries. Keeps
 * only one full entry in memory; of the others, it keeps just the fields compared with the log
 * [evidence.large-sessions].
 * @param read the bundle's bytes from its beginning. @throws any error thrown by `read`.
 */
export async function verifyStreamedBundle(
  read: () => AsyncIterable<Uint8Array>,
  { trustedPublicKey, ...how }: VerifyBundleOptions,
): Promise<Verification> {
  const first = new DigestedText(read());
  const second = new DigestedText(read());
  try {
    // Without a prototype, so that `__proto__` is an ordinary member.
    const members: Record<string, unknown> = Object.create(null);
    for await (const { key, text } of bundlePieces(first)) {
      if (key === undefined) members.entries = [];
      else members[key] = parseStrict(text, rulesWithin(1));
    }
    const opened = openBundle(members);
    if (typeof opened === 'string') return unreadableEvidence(opened, trustedPublicKey);
    const held: LoggedEntry[] = [];
    const { log } = how;
    const compared = opened.log_proof !== undefined || log.log !== undefined || (log.witnesses ?? []).length > 0;
    const entries = parsedEntries(second, compared ? held : undefined);
    const verification = await verifyOpened(opened, () => ({ entries, held }), { trustedPublicKey, ...how });
    if (!verification.valid || first.digest() === second.digest()) return verification;
    return unreadableEvidence('the bundle changed while it was read', trustedPublicKey);
  } catch (fault) {
    if (!(fault instanceof GatewayError)) throw fault;
    return unreadableEvidence(`the bundle cannot be read: ${fault.message}`, trustedPublicKey);
  }
}

/** Returns the parsing rules for a piece that is nested `levels` deep in the bundle. */
const rulesWithin = (levels: number) => ({ ...bundleRules, nesting: bundleRules.nesting! - levels });

async function* parsedEntries(text: AsyncIterable<string>, held: LoggedEntry[] | undefined): AsyncGenerator<unknown> {
  for await (const piece of bundlePieces(text)) {
    if (piece.key !== undefined) continue;
    const entry = parseStrict(piece.text, rulesWithin(2));
    const { tenant, session_id, index, hash, timestamp } = (entry ?? {}) as unknown as LoggedEntry;
    held?.push({ tenant, session_id, index, hash, timestamp });
    yield entry;
  }
}
