/** Follows a chain link by link, up to the first invalid one. */
import type { EvidenceEntry, SessionManifest, UnsignedManifest, Verification } from '#core/contracts/evidence.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { visibleText } from '#core/text/secrets/visible-text.ts';
import { ApprovalTrail } from './approval-trail.ts';
import { entryHash } from './chain.ts';
import { Comparison, type Copies } from './compare.ts';
import { shapeDefect } from './entry-shape.ts';
import { UnreadableEntry } from './entry-text.ts';
import { PasskeyProofs } from './passkey-proof.ts';
import type { SessionHead } from './ports.ts';
import { manifestOf } from './session-manifest.ts';
import { Tally } from './tally.ts';
import type { Witness } from './witness.ts';

type BrokenLink = NonNullable<Verification['broken_link']>;

/** One line of a verification for people. Its strings have no control characters. */
export interface EntryLine {
  readonly index: number;
  readonly ok: boolean;
  readonly timestamp: string;
  readonly kind: string;
  readonly envelope_id: string;
  readonly hash: string;
  readonly reason?: string;
}

export class ChainWalk {
  readonly #tally = new Tally();
  readonly #approvals = new ApprovalTrail();
  readonly #passkeys = new PasskeyProofs();
  readonly #comparison: Comparison;
  readonly #session: Pick<SessionHead, 'tenant' | 'session_id'> | undefined;
  readonly #end: number;
  #seen = 0;
  #contradicted = false;
  #broken: BrokenLink | undefined;

  /**
   * Starts a walk. Head and manifest name the chain and its end. If neither is present, the first entry determines the
   * chain.
   */
  constructor(head: SessionHead | undefined, manifest: SessionManifest | undefined, witness?: Partial<Witness>) {
    this.#comparison = new Comparison(witness);
    this.#session = head ?? manifest;
    this.#end = Math.min(head?.total_entries ?? Infinity, manifest?.total_entries ?? Infinity);
  }

  /** Number of entries supplied, including those after the first broken link. */
  get total(): number {
    return this.#seen;
  }

  get broken(): BrokenLink | undefined {
    return this.#broken;
  }

  /** Checks the next entry. @returns the entry's line, or undefined after the first broken link. */
  follow(entry: unknown, copies?: Copies): EntryLine | undefined {
    const index = this.#seen++;
    if (this.#broken) return undefined;
    const reason = this.#defect(entry, index, copies);
    if (reason === undefined) this.#add(entry as EvidenceEntry, copies);
    else this.#broken = { index, reason };
    return lineOf(entry, index, reason);
  }

  /** Records that reading the archive failed midway. */
  archiveLost(said: string): void {
    this.#comparison.archiveLost(said);
  }

  #add(entry: EvidenceEntry, copies: Copies): void {
    this.#tally.add(entry);
    this.#approvals.add(entry);
    this.#passkeys.add(entry);
    this.#comparison.add(entry, copies);
  }

  #defect(candidate: unknown, index: number, copies: Copies): string | undefined {
    if (candidate instanceof UnreadableEntry) return candidate.message;
    try {
      return shapeDefect(candidate) ?? this.#linkDefect(candidate as EvidenceEntry, index, copies);
    } catch (cause) {
      return `the entry cannot be hashed: ${(cause as Error).message}`;
    }
  }

  #linkDefect(entry: EvidenceEntry, index: number, copies: Copies): string | undefined {
    const previous = this.#tally.last;
    const session = this.#session ?? previous ?? entry;
    if (entry.tenant !== session.tenant) return "the entry belongs to another tenant's session";
    if (entry.session_id !== session.session_id) return 'the entry belongs to another session';
    if (entry.index > index) return `entry ${index} is missing here: entry ${entry.index} is in its place`;
    if (entry.index < index) return `entry ${entry.index} is repeated or out of order: entry ${index} belongs here`;
    if (entry.previous_hash !== (previous?.hash ?? '')) return 'the entry does not link to the entry before it';
    if (entryHash(entry) !== entry.hash) return 'the entry was altered: its hash does not match its fields';
    if (index >= this.#end) return 'the entry lies beyond the end of the chain';
    return (
      this.#contradiction(this.#comparison.defect(entry, copies)) ??
      this.#approvals.defect(entry) ??
      this.#passkeys.defect(entry)
    );
  }

  /** Whether the checkpoint or archive contradicts the chain, which may be valid in itself. */
  get contradicted(): boolean {
    return this.#contradicted;
  }

  #contradiction<T>(found: T | undefined): T | undefined {
    if (found !== undefined) this.#contradicted = true;
    return found;
  }

  /**
   * Returns the sources with which the chain was compared, in addition to head and manifest, and the checks that were
   * skipped.
   */
  compared(): ReturnType<Comparison['summary']> & Pick<Verification, 'passkey_votes'> {
    const { votes } = this.#passkeys;
    return { ...this.#comparison.summary(), ...(votes > 0 && { passkey_votes: votes }) };
  }

  /** Returns the point at which a valid chain contradicts its checkpoint, archive, head or manifest. */
  disagreement(ends: readonly ClaimedEnd[]): BrokenLink | undefined {
    const manifest = this.manifest();
    const apart = this.#contradiction(this.#comparison.ending(this.#seen));
    if (apart) return apart;
    for (const { name, claims } of ends) {
      if (this.#seen < claims.total_entries) {
        const reason = `the end is cut off: ${this.#seen} entries are here, ${name} names ${claims.total_entries}`;
        return { index: this.#seen, reason, missing: 'end' };
      }
      if (!manifest) continue;
      if (manifest.first_hash !== claims.first_hash)
        return { index: 0, reason: `the first entry is not the one ${name} names` };
      if (manifest.last_hash !== claims.last_hash)
        return { index: this.#seen - 1, reason: `the last entry is not the one ${name} names` };
      const found = { ...manifest, updated_at: manifest.created_at };
      const field = summaryFields.find((each) => claims[each] !== undefined && !isSameJson(found[each], claims[each]));
      if (field) return { index: this.#seen, reason: `${name} disagrees with the entries on ${field}` };
    }
    return manifest ? undefined : { index: 0, reason: 'there are no entries: a session has at least one' };
  }

  /** Returns the manifest that these entries lead to. */
  manifest(): UnsignedManifest | undefined {
    const head = this.#tally.head();
    return head && manifestOf(head, this.#tally.credentials());
  }
}

/** Fields compared in addition to the hashes. Fields that a claim lacks are skipped. */
const summaryFields = [
  'tenant',
  'session_id',
  'total_entries',
  'counts',
  'policy_versions',
  'credentials',
  'created_at',
  'updated_at',
] as const;

/** A statement about the end of the chain: the stored head or the manifest. */
interface ClaimedEnd {
  readonly name: string;
  readonly claims: Pick<SessionHead, 'total_entries' | 'first_hash' | 'last_hash'> &
    Partial<Record<(typeof summaryFields)[number], unknown>>;
}

export const headEnd = (head: SessionHead): ClaimedEnd => ({ name: 'the stored head', claims: head });
export const manifestEnd = (manifest: SessionManifest): ClaimedEnd => ({ name: 'the manifest', claims: manifest });

const isSameJson = (a: unknown, b: unknown): boolean => canonicalize(a) === canonicalize(b);

function lineOf(candidate: unknown, index: number, reason: string | undefined): EntryLine {
  const stored = candidate instanceof UnreadableEntry ? candidate.stored : candidate;
  const fields = (typeof stored === 'object' && stored !== null ? stored : {}) as Record<string, unknown>;
  const text = (value: unknown) => (typeof value === 'string' ? visibleText(value) : '');
  return {
    index,
    ok: reason === undefined,
    timestamp: text(fields.timestamp),
    kind: text(fields.kind),
    envelope_id: text(fields.envelope_id),
    hash: text(fields.hash),
    ...(reason !== undefined && { reason }),
  };
}
