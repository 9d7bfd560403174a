/** Reports a data plane's chains [federation.status] from the store, never from memory. */

import { firstEntries } from '#core/evidence/bundle.ts';
import { UnreadableEntry } from '#core/evidence/entry-text.ts';
import type { EvidenceLog, SessionHead } from '#core/evidence/ports.ts';
import { verifyChain } from '#core/evidence/verify.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import type { EvidenceHead, WantedHead } from './contract.ts';

/** Numbers of a tenant's sessions in each report: of the newest ones, and of all others in turn. */
const newestPageSize = 100;
const othersPageSize = 50;
/** Number of entries read per report to verify whole chains. Longer chains are left to `audit verify`. */
const maxVerified = 2_000;

/** Maximum number of heads per report. This many fit in 1 MB even with the longest names. */
const maxHeadsPerReport = 1_000;

interface ChainPorts {
  readonly evidence: EvidenceLog;
  /** ISO time before which rows may have expired. Absent if rows never expire. */
  readonly expiresBefore: string | undefined;
}

interface ReportedChain {
  readonly total_entries: number;
  readonly last_hash: string;
}

/**
 * Remembers which heads were reported, so that each report only includes changes. If this memory is lost, the next
 * report is merely longer.
 */
export class ReportedChains {
  readonly #reported = new RecentMap<string, ReportedChain>({ max: 20_000 });
  readonly #cursors = new Map<string, string>();

  /**
   * Returns the chains that have changed since they were last reported, and the chain points that the control plane
   * requested.
   */
  async changed(
    { evidence, expiresBefore }: ChainPorts,
    tenants: readonly string[],
    wanted: readonly WantedHead[],
  ): Promise<EvidenceHead[]> {
    const heads = await this.#wanted({ evidence, expiresBefore }, wanted.slice(0, maxHeadsPerReport));
    const included = new Set(heads.map(sessionKey));
    for (const tenant of tenants) {
      for (const head of await this.#looked(evidence, tenant)) {
        if (heads.length >= maxHeadsPerReport) return heads;
        if (included.has(sessionKey(head)) || this.#isReported(head)) continue;
        const before = this.#reported.get(sessionKey(head));
        heads.push(await reportOf(evidence, head, before && before.total_entries - 1));
      }
    }
    return heads;
  }

  /** Records that the control plane accepted these heads. */
  taken(heads: readonly EvidenceHead[]): void {
    for (const head of heads) this.#reported.set(sessionKey(head), head);
  }

  #isReported(head: SessionHead): boolean {
    const known = this.#reported.get(sessionKey(head));
    return known?.total_entries === head.total_entries && known.last_hash === head.last_hash;
  }

  async #looked(evidence: EvidenceLog, tenant: string): Promise<SessionHead[]> {
    const newest = await evidence.sessions(tenant, { limit: newestPageSize });
    const cursor = this.#cursors.get(tenant) ?? newest.cursor;
    if (cursor === undefined) return [...newest.items];
    const others = await evidence.sessions(tenant, { limit: othersPageSize, cursor });
    if (others.cursor === undefined) this.#cursors.delete(tenant);
    else this.#cursors.set(tenant, others.cursor);
    return [...newest.items, ...others.items];
  }

  async #wanted({ evidence, expiresBefore }: ChainPorts, wanted: readonly WantedHead[]): Promise<EvidenceHead[]> {
    const heads: EvidenceHead[] = [];
    let verified = 0;
    for (const { tenant, session_id, index } of wanted) {
      const head = await evidence.head(tenant, session_id);
      if (!head) {
        heads.push({ tenant, session_id, total_entries: 0, last_hash: '' });
        continue;
      }
      verified += head.total_entries;
      // Rows that may have expired cannot be verified without their archived copies.
      const whole = expiresBefore === undefined || head.opened_at >= expiresBefore;
      const broken = whole && verified <= maxVerified ? await brokenLink(evidence, head) : undefined;
      const found = await reportOf(evidence, head, index);
      heads.push({ ...found, ...(broken && { broken }) });
    }
    return heads;
  }
}

const sessionKey = ({ tenant, session_id }: { readonly tenant: string; readonly session_id: string }) =>
  JSON.stringify([tenant, session_id]);

/** Returns the report on a chain. @param index position whose hash is included if the chain is that long */
async function reportOf(evidence: EvidenceLog, head: SessionHead, index: number | undefined): Promise<EvidenceHead> {
  const { tenant, session_id, total_entries, last_hash } = head;
  const reached = index !== undefined && index < total_entries;
  const row = reached ? await rowAt(evidence, head, index) : undefined;
  const report = { tenant, session_id, total_entries, last_hash };
  // The chain is reported as broken, so that it is visible and does not block the others.
  if (row instanceof UnreadableEntry) return { ...report, broken: brokenAt(row.index, row.message) };
  return { ...report, ...(row && { at: { index: row.index, hash: row.hash } }) };
}

const brokenAt = (index: number, reason: string) => ({ index, reason: reason.slice(0, 500) });

async function rowAt(evidence: EvidenceLog, { tenant, session_id }: SessionHead, index: number) {
  for await (const row of evidence.rows(tenant, session_id, index)) return row.index === index ? row : undefined;
  return undefined;
}

async function brokenLink(evidence: EvidenceLog, head: SessionHead) {
  const entries = firstEntries(evidence.rows(head.tenant, head.session_id), head.total_entries);
  const { broken_link } = await verifyChain(entries, { head });
  return broken_link && brokenAt(broken_link.index, broken_link.reason);
}
