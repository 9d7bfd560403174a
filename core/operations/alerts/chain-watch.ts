/** Verifies a few sessions of a tenant per evaluation, in rotation, and re-checks sessions that were found broken. */
import type { AlertRow } from '#core/contracts/alert.ts';
import { firstEntries } from '#core/evidence/bundle.ts';
import type { EvidenceLog, SessionHead } from '#core/evidence/ports.ts';
import { verifyChain } from '#core/evidence/verify.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import { auditChainMetric, type BrokenSession } from './conditions.ts';

const sessionsPerRun = 5;
/** Maximum number of entries per session; longer sessions are left to `audit verify`. */
const maxEntries = 2_000;

/** Maximum number of known broken sessions per tenant that each evaluation re-checks. */
const mostKnown = 5;

/** Maximum number of tenants that a process remembers. */
const mostTenants = 5_000;

export class ChainWatch {
  readonly #cursors = new RecentMap<string, string>({ max: mostTenants });
  /** Ids of broken sessions, by tenant. */
  readonly #known = new RecentMap<string, readonly string[]>({ max: mostTenants });

  /**
   * Verifies the sessions that were broken and the next ones in the rotation.
   * @param rows the tenant's alert rows; after a restart, they also show which sessions with an open alert are known to
   * be broken.
   * @returns broken sessions, starting with those from earlier evaluations.
   */
  async look(evidence: EvidenceLog, tenant: string, rows: readonly AlertRow[]): Promise<BrokenSession[]> {
    const open = rows.find(({ alert }) => alert.metric === auditChainMetric && alert.state !== 'resolved')?.alert;
    const named = [open?.evidence?.session_id, ...(this.#known.get(tenant) ?? [])];
    const known = [...new Set(named.filter((id) => typeof id === 'string'))].slice(0, mostKnown);
    const heads = await Promise.all(known.map((id) => evidence.head(tenant, id)));
    const cursor = this.#cursors.get(tenant);
    const page = await evidence.sessions(tenant, { limit: sessionsPerRun, ...(cursor !== undefined && { cursor }) });
    if (page.cursor === undefined) this.#cursors.delete(tenant);
    else this.#cursors.set(tenant, page.cursor);
    heads.push(...page.items.filter(({ session_id }) => !known.includes(session_id)));
    const broken: BrokenSession[] = [];
    for (const head of heads) {
      const link = head && (await brokenLink(evidence, head));
      if (link) broken.push(link);
    }
    this.#known.set(
      tenant,
      broken.map(({ session_id }) => session_id),
    );
    return broken;
  }
}

async function brokenLink(evidence: EvidenceLog, head: SessionHead): Promise<BrokenSession | undefined> {
  const { tenant, session_id, total_entries } = head;
  if (total_entries > maxEntries) return undefined;
  const entries = firstEntries(evidence.rows(tenant, session_id), total_entries);
  const { broken_link } = await verifyChain(entries, { head });
  return broken_link && { session_id, ...broken_link };
}
