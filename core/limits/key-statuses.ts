/** Current budgets of a tenant's keys [limit.key]. */
import type { Identities, KeyLimits } from '#core/configuration/identity/identities.ts';
import { sideBySide } from '#core/kernel/side-by-side.ts';
import { limitsOfAllOfKey } from './limits-of-all.ts';
import { keyCounterTenant } from './limits-of-key.ts';
import type { BudgetStatus, Counters, CountersStatus } from './ports.ts';

const keyConcurrency = 10;

interface KeyStatus {
  readonly keyId: string;
  readonly name: string;
  readonly budgets: readonly BudgetStatus[];
  readonly spend: CountersStatus['spend'];
}

/** Reads the status of each of the tenant's keys that has a budget, with one store read per key. */
export async function keyStatuses(
  counters: Pick<Counters, 'status'>,
  { limits }: Pick<Identities, 'limits'>,
  tenant: string,
): Promise<KeyStatus[]> {
  const keys = [...limits].filter(([, own]) => own.tenant === tenant && own.budget !== undefined);
  const statuses: KeyStatus[] = [];
  await sideBySide(keys, keyConcurrency, async ([keyId, own]: [string, KeyLimits]) => {
    const { budgets, spend } = await counters.status(keyCounterTenant(tenant, keyId), limitsOfAllOfKey(own, keyId));
    statuses.push({ keyId, name: own.name, budgets: budgets.filter(({ unlimited }) => !unlimited), spend });
  });
  return statuses.sort((one, other) => one.name.localeCompare(other.name));
}
