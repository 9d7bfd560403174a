/** Verifies a few sessions of a tenant per evaluation, in rotation, and re-checks sessions that were found broken. */
import type { AlertRow } from '#core/contracts/alert.ts';
import { firstEntries } from '#core/evidence/bundle.ts';
import type { EvidenceLog, SessionHead } from '#core/evidence/ports.ts';
import { verifyChain } from '#core/evidence/verify.ts';
import type { BrokenSession } from './conditions.ts';

const sessionsPerRun = 5;
/** Longer sessions are left to `audit verify`. */
const maxEntries = 2_000;

export class ChainWatch {
  readonly #cursors = new Map<string, string>();

  /** Verifies the next sessions. @returns a broken session; one with an open alert is checked first. */
  async look(evidence: EvidenceLog, tenant: string, rows: readonly AlertRow[]): Promise<BrokenSession | undefined> {
    const named = rows.find(({ alert }) => alert.type === 'evidence' && alert.state !== 'resolved')?.alert.evidence
      ?.session_id;
    if (typeof named === 'string') {
      const head = await evidence.head(tenant, named);
      const broken = head && (await brokenLink(evidence, head));
      if (broken) return broken;
    }
    const cursor = this.#cursors.get(tenant);
    const page = await evidence.sessions(tenant, { limit: sessionsPerRun, ...(cursor !== undefined && { cursor }) });
    if (page.cursor === undefined) this.#cursors.delete(tenant);
    else this.#cursors.set(tenant, page.cursor);
    for (const head of page.items) {
      const broken = await brokenLink(evidence, head);
      if (broken) return broken;
    }
    return undefined;
  }
}

async function brokenLink(evidence: EvidenceLog, head: SessionHead): Promise<BrokenSession | undefined> {
  const { tenant, session_id, total_entries } = head;
  if (total_entries > maxEntries) return undefined;
  const entries = firstEntries(evidence.rows(tenant, session_id), total_entries);
  const { broken_link } = await verifyChain(entries, { head });
  return broken_link && { session_id, ...broken_link };
}
