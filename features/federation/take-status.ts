/**
 * Processes a data plane's report at its control plane: identity, chains, and the chains to request next
 * [federation.status].
 */

import { GatewayError } from '#core/kernel/errors.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { Divergence, EvidenceHead, KnownHead, PlaneRow, PlaneStatus, WantedHead } from './contract.ts';
import { leaseMs } from './lease.ts';
import type { PlaneStore } from './ports.ts';

const usualIntervalSeconds = 10;
/** Number of known chains that are requested with the next report, in rotation. */
const chainsPerWalk = 100;
/** Maximum number of chains requested per report, in addition to changed ones. */
const maxRequested = 500;
interface TakenStatus {
  readonly row: PlaneRow;
  readonly wanted: readonly WantedHead[];
  /** New divergences in this report. */
  readonly found: readonly Divergence[];
}

/**
 * Processes a report.
 * @throws GatewayError `conflict` while another gateway reports under this name, or after too many concurrent reports.
 */
export async function takeStatus(
  store: PlaneStore,
  plane: string,
  status: PlaneStatus,
  now: number,
): Promise<TakenStatus> {
  for (let tries = 0; tries < 4; tries++) {
    const before = await store.get(plane);
    if (before && isOther(before, status, now)) {
      const conflict = { instance: status.instance!, at: isoTime(now) };
      await store.put({ ...before, revision: before.revision + 1, conflict }, before);
      throw new GatewayError(
        'conflict',
        `Another gateway reports as the plane ${plane}. Give each gateway a plane and a token of its own, or stop the other one and wait ${leaseMs(before.interval_seconds) / 1000} seconds.`,
      );
    }
    const chains = await comparedHeads(store, before, plane, status.evidence_heads, now);
    const walked = await store.walk(plane, before?.walk, chainsPerWalk);
    const first = before?.divergence ?? chains.found[0];
    const row: PlaneRow = {
      ...reportedStatus(plane, status, now),
      revision: (before?.revision ?? 0) + 1,
      divergences: (before?.divergences ?? 0) + chains.found.length,
      ...(before?.conflict && { conflict: before.conflict }),
      ...(before?.accepted_at !== undefined && { accepted_at: before.accepted_at }),
      ...(first && { divergence: first }),
      ...(walked.next !== undefined && { walk: walked.next }),
    };
    if (!(await store.put(row, before))) continue;
    await store.putHeads(plane, chains.known);
    return { row, wanted: wantedOf(chains, walked.heads), found: chains.found };
  }
  throw new GatewayError(
    'conflict',
    `Several reports of the plane ${plane} arrived at the same moment; send one at a time.`,
  );
}

/** Checks whether another process recently reported under this name. */
function isOther({ instance, seen_at, interval_seconds }: PlaneRow, status: PlaneStatus, now: number): boolean {
  if (instance === undefined || status.instance === undefined || instance === status.instance) return false;
  return now - Date.parse(seen_at) < leaseMs(interval_seconds);
}

function reportedStatus(plane: string, status: PlaneStatus, now: number) {
  const { instance, interval_seconds = usualIntervalSeconds, sent_at, refused } = status;
  const { version, healthy, requests, error_rate, pending_approvals } = status;
  return {
    plane,
    seen_at: isoTime(now),
    interval_seconds,
    ...(instance !== undefined && { instance }),
    ...(refused !== undefined && { refused }),
    ...(sent_at !== undefined && { skew_seconds: Math.round((Date.parse(sent_at) - now) / 1000) }),
    version,
    healthy,
    requests,
    error_rate,
    pending_approvals,
  };
}

interface Chains {
  readonly known: readonly KnownHead[];
  readonly found: readonly Divergence[];
  readonly wanted: readonly WantedHead[];
  readonly reported: ReadonlySet<string>;
}

const sessionKey = ({ tenant, session_id }: { readonly tenant: string; readonly session_id: string }) =>
  JSON.stringify([tenant, session_id]);

async function comparedHeads(
  store: PlaneStore,
  row: PlaneRow | undefined,
  plane: string,
  heads: readonly EvidenceHead[],
  now: number,
): Promise<Chains> {
  const stillKnown = ({ diverged_at: at }: KnownHead) =>
    at === undefined || row?.accepted_at === undefined || at > row.accepted_at;
  const known = (await store.heads(plane, heads)).filter(stillKnown);
  const before = new Map(known.map((head) => [sessionKey(head), head]));
  const compared = heads.map((head) => compareHead(before.get(sessionKey(head)), head, isoTime(now)));
  return {
    known: compared.flatMap(({ known }) => known ?? []),
    found: compared.flatMap(({ divergence }) => divergence ?? []),
    wanted: compared.flatMap(({ wanted }) => wanted ?? []),
    reported: new Set(heads.map(sessionKey)),
  };
}

/**
 * Returns the chains to request: first those whose new head is not accepted yet, then those missing from this report.
 */
function wantedOf({ wanted, reported }: Chains, walked: readonly KnownHead[]): WantedHead[] {
  const silent = walked
    .filter((head) => !reported.has(sessionKey(head)))
    .map(({ tenant, session_id, total_entries }) => ({ tenant, session_id, index: total_entries - 1 }));
  return [...wanted, ...silent].slice(0, maxRequested);
}

interface HeadComparison {
  /** New known state. Absent if unchanged. */
  readonly known?: KnownHead;
  readonly divergence?: Divergence;
  /** Entry that the plane must report before its new head is accepted. */
  readonly wanted?: WantedHead;
}

/**
 * Compares a reported head with the previous one [federation.status]. A chain may only grow: an entry that was once the
 * last one must keep its position and hash.
 * @param at ISO time of the report.
 */
export function compareHead(known: KnownHead | undefined, head: EvidenceHead, at: string): HeadComparison {
  const { tenant, session_id, total_entries, last_hash } = head;
  const now: KnownHead = { tenant, session_id, total_entries, last_hash, seen_at: at };
  const differs = (kind: Divergence['kind'], index: number, more: Partial<Divergence>): HeadComparison => ({
    known: { ...(known ?? now), diverged_at: at },
    divergence: { tenant, session_id, index, kind, ...more, found_at: at },
  });
  if (known?.diverged_at !== undefined) return {}; // already diverged: the earlier state is kept
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
