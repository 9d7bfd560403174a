/** Reads administrative entries for the comparisons. Each session (one per tenant and day) is read only once. */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { adminSession } from '#core/evidence/admin-session.ts';
import type { RowPlace } from '#core/evidence/entry-text.ts';
import type { EvidenceLog } from '#core/evidence/ports.ts';
import { dayMs } from '#core/kernel/durations.ts';
import { sideBySide } from '#core/kernel/side-by-side.ts';

const concurrency = 10;

/** Returns the number of days since 1970. */
export const dayOf = (at: string | number): number =>
  Math.floor((typeof at === 'string' ? Date.parse(at) : at) / dayMs);

/** Returns the days in a range, both ends included. */
export const daysBetween = (first: number, last: number): number[] =>
  Array.from({ length: Math.max(1, last - first + 1) }, (_, nth) => first + nth);

export interface AdministrativeEntries {
  /** Returns the administrative entries of these tenants and days, oldest first. */
  of(tenants: readonly string[], days: readonly number[]): Promise<readonly EvidenceEntry[]>;
}

/** @param unreadable called with rows that cannot be read. */
export function actsIn(
  evidence: Pick<EvidenceLog, 'entries'>,
  unreadable: (row: RowPlace) => void,
): AdministrativeEntries {
  const known = new Map<string, Promise<readonly EvidenceEntry[]>>();
  async function read(tenant: string, id: string): Promise<readonly EvidenceEntry[]> {
    const acts: EvidenceEntry[] = [];
    for await (const entry of evidence.entries(tenant, id, 0, unreadable)) if (entry.kind === 'admin') acts.push(entry);
    return acts;
  }
  return {
    async of(tenants, days) {
      const asked = days.flatMap((day) => tenants.map((tenant) => ({ tenant, id: adminSession(tenant, day * dayMs) })));
      const found: EvidenceEntry[] = [];
      await sideBySide(asked, concurrency, async ({ tenant, id }) => {
        // Tenant names contain no `#`.
        const acts = known.get(`${tenant}#${id}`) ?? read(tenant, id);
        known.set(`${tenant}#${id}`, acts);
        found.push(...(await acts));
      });
      return found.sort((one, other) => (one.timestamp < other.timestamp ? -1 : 1));
    },
  };
}

/** Maximum number of tenants whose administrative entries a comparison searches. */
const mostTenants = 400;

/** Returns the tenants to search, starting with the most likely ones, and the number of tenants left out. */
export function tenantsToSearch(likely: Iterable<string>, others: Iterable<string>) {
  const all = [...new Set([...likely, ...others])];
  return { tenants: all.slice(0, mostTenants), left: Math.max(0, all.length - mostTenants) };
}

/** Describes an administrative action: action, time and actor. */
export const actText = ({ body, timestamp, actor }: Pick<EvidenceEntry, 'body' | 'timestamp' | 'actor'>): string =>
  `${String(body.action)} at ${timestamp} by ${actor.person ?? actor.key_id}`;
