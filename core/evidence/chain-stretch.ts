/**
 * Ranges of chains: consecutive entries of a session whose hashes and links have been checked. Each range names its
 * first and last entry, so another process can sign a checkpoint over it without the entries
 * [evidence.checkpoint.queued].
 */
import type { ChainPoint, EvidenceEntry } from '#core/contracts/evidence.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { entryTextHash } from './chain.ts';
import { textOfEntry } from './entry-text.ts';

/** A checked range; `index` and `hash` are those of its last entry. */
export interface ChainStretch extends ChainPoint {
  readonly first: number;
  readonly previous_hash: string;
}

/**
 * Error for an entry that does not continue the session's last checkpoint. This is an incident on the gateway's side.
 */
export class CheckpointRefusal extends GatewayError {
  readonly point: Omit<ChainPoint, 'hash'>;

  constructor({ tenant, session_id, index }: Omit<ChainPoint, 'hash'>, reason: string) {
    super('server_error', `No checkpoint of session ${session_id} is signed at entry ${index}: ${reason}.`);
    this.point = { tenant, session_id, index };
  }
}

/** Returns the range of a single entry. @throws CheckpointRefusal if its hash does not match its fields */
export function stretchOf(entry: EvidenceEntry): ChainStretch {
  if (entryTextHash(textOfEntry(entry), entry.hash) !== entry.hash)
    throw new CheckpointRefusal(entry, 'its hash does not match its fields');
  const { tenant, session_id, index, hash, previous_hash } = entry;
  return { tenant, session_id, first: index, previous_hash, index, hash };
}

/**
 * Returns the ranges formed by one session's entries, which may be in any order.
 * @throws CheckpointRefusal for an altered entry, or one that does not link to the entry before it
 */
export function stretchesOf(entries: readonly EvidenceEntry[]): readonly ChainStretch[] {
  const stretches: ChainStretch[] = [];
  for (const entry of entries.toSorted((a, b) => a.index - b.index)) {
    const own = stretchOf(entry);
    const before = stretches.at(-1);
    if (before?.index === own.index && before.hash === own.hash) continue; // delivered twice
    if (before?.index !== own.index - 1) stretches.push(own);
    else if (before.hash !== own.previous_hash)
      throw new CheckpointRefusal(entry, 'it does not link to the entry before it');
    else stretches[stretches.length - 1] = { ...before, index: own.index, hash: own.hash };
  }
  return stretches;
}
