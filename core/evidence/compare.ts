/** Compares a chain, entry by entry, with its checkpoint and its archived copies [evidence.checkpoint]. */
import type { EvidenceEntry, Verification } from '#core/contracts/evidence.ts';
import type { Witness } from './witness.ts';

type BrokenLink = NonNullable<Verification['broken_link']>;
/** Hashes of an entry's copies; undefined if none are known. */
export type Copies = readonly string[] | undefined;

/** Upper limit for clock differences and for the delay before copies appear. */
const toleranceMs = 5 * 60_000;

export class Comparison {
  #witness: Partial<Witness>;
  #archived = 0;
  #lastIndex = -1;
  /** The first entry without a copy since the last entry that had one. */
  #missingFrom: number | undefined;
  /** The first entry without a copy, if a later entry was archived long ago. */
  #gap: BrokenLink | undefined;
  #anyGap: number | undefined;

  constructor(witness: Partial<Witness> = {}) {
    this.#witness = witness;
  }

  /** Returns the reason why a correctly linked entry differs from the one originally written, or undefined. */
  defect(entry: EvidenceEntry, copies: Copies): string | undefined {
    const { checkpoint } = this.#witness;
    if (copies && !copies.includes(entry.hash)) return 'the entry is not the one in the archive: it was rewritten';
    if (copies && copies.length > 1) return 'the archive contains another entry at this position: the chain was forked';
    if (!checkpoint) return undefined;
    const { point, created_at } = checkpoint;
    if (point.tenant !== entry.tenant || point.session_id !== entry.session_id)
      return `the checkpoint of ${created_at} is for another session`;
    if (entry.index === point.index && entry.hash !== point.hash)
      return `the entry is not the one that the checkpoint of ${created_at} names: it or one before it was rewritten`;
    if (entry.index > point.index && Date.parse(entry.timestamp) < Date.parse(created_at) - toleranceMs)
      return `the entry is back-dated: the checkpoint over the entries before it was signed at ${created_at}`;
    return undefined;
  }

  /** Records that reading the archive failed, and stops comparing entries with it. */
  archiveLost(said: string): void {
    const { archived: _archived, notChecked = [], unread = [], ...rest } = this.#witness;
    this.#witness = { ...rest, notChecked: [...notChecked, said], unread: [...unread, 'archive'] };
    this.#gap = undefined;
  }

  /** Adds a valid entry. */
  add(entry: EvidenceEntry, copies: Copies): void {
    this.#lastIndex = entry.index;
    const { archived, archiveComplete, at = 0 } = this.#witness;
    if (!archived) return;
    if (!copies) {
      this.#missingFrom ??= entry.index;
      return;
    }
    this.#archived++;
    if (this.#missingFrom === undefined) return;
    this.#anyGap ??= this.#missingFrom;
    if (archiveComplete && at - Date.parse(entry.timestamp) > toleranceMs) {
      const reason = `the entry is not in the archive, though entry ${entry.index} is: the gateway did not write it`;
      this.#gap ??= { index: this.#missingFrom, reason };
    }
    this.#missingFrom = undefined;
  }

  /**
   * Returns the defect that becomes visible only from the whole chain: a truncated end, or an entry that the gateway
   * did not write.
   */
  ending(total: number): BrokenLink | undefined {
    const { checkpoint, archived } = this.#witness;
    const named = archived?.end ?? -1;
    if (checkpoint && checkpoint.point.index >= total) {
      const count = checkpoint.point.index + 1;
      const reason = `the end is cut off: ${total} entries are here, the checkpoint of ${checkpoint.created_at} names ${count}`;
      return { index: total, reason, missing: 'end' };
    }
    if (named >= total) {
      return {
        index: total,
        reason: `the end is cut off: ${total} entries are here, the archive holds entry ${named}`,
        missing: 'end',
      };
    }
    return this.#gap;
  }

  /** Returns the sources that were compared, and descriptions of those that were not. */
  summary(): Pick<Verification, 'checkpoint' | 'archived_entries' | 'not_checked' | 'unread'> {
    const { checkpoint, archived, notChecked, unread = [] } = this.#witness;
    if (notChecked === undefined) return { not_checked: [] };
    const unable = (what: string) => notChecked.some((said) => said.startsWith(what));
    return {
      ...(checkpoint && {
        checkpoint: {
          index: checkpoint.point.index,
          created_at: checkpoint.created_at,
          key_id: checkpoint.key_id,
        },
      }),
      ...(archived && { archived_entries: this.#archived }),
      ...(unread.length > 0 && { unread }),
      not_checked: [
        ...notChecked,
        ...(unable('checkpoints')
          ? []
          : this.#uncovered(checkpoint?.point.index ?? -1, 'checkpoints', 'under a checkpoint')),
        ...(unable('archive') ? [] : this.#uncopied()),
      ],
    };
  }

  #uncovered(to: number, what: string, state: string): string[] {
    if (to >= this.#lastIndex) return [];
    const range = to + 1 === this.#lastIndex ? `entry ${to + 1} is` : `entries ${to + 1} to ${this.#lastIndex} are`;
    return [`${what} not checked: ${range} not ${state} yet`];
  }

  #uncopied(): string[] {
    const from = this.#anyGap ?? this.#missingFrom;
    if (from === undefined) return [];
    if (this.#anyGap !== undefined) return [`archive not checked: entry ${from} and perhaps later ones are not in it`];
    return this.#uncovered(from - 1, 'archive', 'in it');
  }
}
