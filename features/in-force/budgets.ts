/** Compares a tenant's spent budgets with the cost of the period's calls in evidence. */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { keyStatuses } from '#core/limits/key-statuses.ts';
import { limitsOf } from '#core/limits/limits-of.ts';
import { limitsOfAll } from '#core/limits/limits-of-all.ts';
import { keyPartOf } from '#core/limits/limits-of-key.ts';
import type { BudgetAccount, BudgetStatus } from '#core/limits/ports.ts';
import { periodStart, usd } from '#core/limits/spend.ts';
import type { AuditCall, ComparisonResult, Difference } from './compared.ts';

const maxEntries = 5_000;
const pageSize = 500;

/**
 * Compares budgets with a lower bound calculated from the newest entries. Only entries of the active version count,
 * because the account may not have existed in an earlier version. An account with lower spending than this bound was
 * reset.
 */
export async function compareBudgets(asked: AuditCall): Promise<ComparisonResult> {
  const now = asked.ports.clock.now();
  const { spent, entries, more } = await spentBy(asked, now);
  // Read after the entries, because a call is booked before its entry is written.
  const statuses = await statusesOf(asked);
  const differences = statuses.flatMap((status): Difference[] => {
    const least = spent.get(budgetName(status)) ?? 0;
    if (least <= status.used_microusd) return [];
    const inForce = `$${usd(status.used_microusd)} spent and reserved`;
    return [
      { of: 'budget', what: budgetName(status), in_force: inForce, evidence: `calls cost at least $${usd(least)}` },
    ];
  });
  return {
    counts: { budgets: statuses.length, chat_entries: entries },
    differences,
    notChecked: more ? [`budgets: calls before the newest ${maxEntries} of the month`] : [],
  };
}

const budgetName = ({ account, period }: Pick<BudgetAccount, 'account' | 'period'>): string =>
  `${account} of the ${period}`;

async function statusesOf({ ports, principal: { tenant }, snapshot }: AuditCall): Promise<BudgetStatus[]> {
  const own = await ports.counters.status(tenant, limitsOfAll(snapshot.configuration, tenant));
  const keys = await keyStatuses(ports.counters, snapshot.identities, tenant);
  return [...own.budgets, ...keys.flatMap(({ budgets }) => budgets)];
}

async function spentBy(
  asked: AuditCall,
  now: number,
): Promise<{ readonly spent: ReadonlyMap<string, number>; readonly entries: number; readonly more: boolean }> {
  const { evidence } = asked.ports;
  const spent = new Map<string, number>();
  let entries = 0;
  let cursor: string | undefined;
  do {
    const page = await evidence.audit({
      tenant: asked.principal.tenant,
      from: periodStart('month', now),
      to: now,
      kind: 'chat',
      limit: pageSize,
      unreadable: asked.unreadable,
      ...(cursor !== undefined && { cursor }),
    });
    for (const entry of page.items) book(asked, spent, entry, now);
    entries += page.items.length;
    cursor = page.cursor;
  } while (cursor !== undefined && entries < maxEntries);
  return { spent, entries, more: cursor !== undefined };
}

type Accounting = Pick<AuditCall, 'snapshot' | 'principal'>;

/** Tolerance at the start of a period, because a call is booked in the period in which it began. */
const marginMs = 60_000;

function book(
  { snapshot, principal }: Accounting,
  spent: Map<string, number>,
  entry: EvidenceEntry,
  now: number,
): void {
  const { policy_version, cost_microusd, resolved_model, latency_ms } = entry.body;
  if (policy_version !== snapshot.version || typeof cost_microusd !== 'number' || cost_microusd <= 0) return;
  const began = Date.parse(entry.timestamp) - (typeof latency_ms === 'number' ? latency_ms : 0) - marginMs;
  for (const budget of accountsOf({ snapshot, principal }, entry.actor.key_id, String(resolved_model)))
    if (began >= periodStart(budget.period, now))
      spent.set(budgetName(budget), (spent.get(budgetName(budget)) ?? 0) + cost_microusd);
}

function accountsOf({ snapshot, principal: { tenant } }: Accounting, key_id: string, model: string) {
  const { configuration, identities } = snapshot;
  const own = identities.limits.get(key_id)?.tenant === tenant;
  const ofKey = own ? keyPartOf(identities, { tenant, key_id }, model) : undefined;
  return [...limitsOf(configuration, tenant, model).budgets, ...(ofKey?.limits.budgets ?? [])];
}
