/**
 * Compares a data plane's chains with its earlier reports [federation.heads]: pure, so that every history can be
 * tested. A chain may only grow: an entry that was once last must keep its place and hash.
 */
import type { Divergence, EvidenceHead, KnownHead, WantedHead } from '#core/contracts/federation.ts';

interface Compared {
  /** New known state. Absent if unchanged. */
  readonly known?: KnownHead;
  readonly divergence?: Divergence;
  /** Entry that the plane must report before the new head is accepted. */
  readonly wanted?: WantedHead;
}

/** Compares a reported head. @param at ISO time of the report. */
export function compareHead(known: KnownHead | undefined, head: EvidenceHead, at: string): Compared {
  const { tenant, session_id, total_entries, last_hash } = head;
  const now: KnownHead = { tenant, session_id, total_entries, last_hash, seen_at: at };
  const differs = (kind: Divergence['kind'], index: number, more: Partial<Divergence>): Compared => ({
    known: { ...(known ?? now), diverged_at: at },
    divergence: { tenant, session_id, index, kind, ...more, found_at: at },
  });
  if (known?.diverged_at !== undefined) return {}; // already diverged: the state from before is kept
  if (head.broken) return differs('broken', head.broken.index, { reason: head.broken.reason });
  if (!known) return total_entries === 0 ? {} : { known: now };
  const last = known.total_entries - 1;
  if (total_entries < known.total_entries) return differs('cut', total_entries, { expected_hash: known.last_hash });
  if (total_entries === known.total_entries) {
    if (last_hash === known.last_hash) return { known: now };
    return differs('fork', last, { expected_hash: known.last_hash, found_hash: last_hash });
  }
  if (head.at?.index !== last) return { wanted: { tenant, session_id, index: last } };
  if (head.at.hash === known.last_hash) return { known: now };
  return differs('fork', last, { expected_hash: known.last_hash, found_hash: head.at.hash });
}
