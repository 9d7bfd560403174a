/** Reads recently refused plugins, packs and modules [alert.thresholds], starting after the last entry read. */
import { actionOf } from '#core/contracts/plugin-act.ts';
import { adminSession } from '#core/evidence/admin-session.ts';
import { UnreadableEntry } from '#core/evidence/entry-text.ts';
import type { EvidenceLog } from '#core/evidence/ports.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';

/** Period during which a refusal counts. */
export const refusalWindowMs = 10 * 60_000;

export interface Refusal {
  readonly at: string;
  readonly name: string;
  readonly reason: string;
}

interface RefusalPage {
  readonly next: number;
  readonly refusals: readonly Refusal[];
}

/** Maximum number of tenants that a process remembers. */
const mostTenants = 5_000;

export class RefusalWatch {
  readonly #read = new RecentMap<string, Map<string, RefusalPage>>({ max: mostTenants });

  /** Returns the refusals within the window, oldest first. @param now milliseconds since 1970 */
  async look(evidence: EvidenceLog, tenant: string, now: number): Promise<readonly Refusal[]> {
    const from = now - refusalWindowMs;
    const before = this.#read.get(tenant);
    const read = new Map<string, RefusalPage>();
    // Around midnight the window spans the sessions of two days.
    for (const session of new Set([adminSession(tenant, from), adminSession(tenant, now)]))
      read.set(session, await readOn(evidence, tenant, session, before?.get(session), from));
    this.#read.set(tenant, read);
    return [...read.values()].flatMap(({ refusals }) => refusals);
  }
}

async function readOn(
  evidence: EvidenceLog,
  tenant: string,
  session: string,
  { next, refusals }: RefusalPage = { next: 0, refusals: [] },
  from: number,
): Promise<RefusalPage> {
  const found = [...refusals];
  let end = next;
  for await (const entry of evidence.rows(tenant, session, next)) {
    end = entry.index + 1;
    if (entry instanceof UnreadableEntry) continue; // the evidence alert names it
    const { timestamp, body } = entry;
    if (body.action !== actionOf({ act: 'refuse' })) continue;
    found.push({ at: timestamp, name: String(body.name), reason: String(body.reason) });
  }
  return { next: end, refusals: found.filter(({ at }) => Date.parse(at) >= from) };
}
