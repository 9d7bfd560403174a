/** Merges the served configuration with a data plane's own keys [federation.secrets-bound]. */
import { checkConfiguration } from '#core/configuration/checks/checks.ts';
import { levelsWithRules } from '#core/configuration/identity/organization.ts';
import { buildPolicyDocument } from '#core/configuration/load/policy-document.ts';
import { hasItsRules, storedForm } from '#core/configuration/store/stored-form.ts';
import type { LocalKey } from '#core/contracts/config/federation.ts';
import type { Configuration, ConfigurationSchema, KeyEntry } from '#core/contracts/config.ts';
import { problemsError, problemsOf } from '#core/contracts/problems.ts';
import { describeAllowed } from '#core/kernel/issue-words.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';

/** A data plane's own parts: its administrators and its control plane's address. */
type PlaneSections = Pick<Configuration, 'admin' | 'federation'>;

interface MergeResult {
  readonly configuration: Configuration;
  readonly warnings: readonly string[];
}

/**
 * Merges the two configurations.
 * @param served the configuration from a verified document.
 * @throws GatewayError `invalid_request` if this release cannot parse it, or if the merged parts are inconsistent.
 */
export function mergedConfiguration(
  served: Readonly<Record<string, unknown>>,
  { admin, federation }: PlaneSections,
  schema: ConfigurationSchema,
): MergeResult {
  const tenants = Array.isArray(served.tenants) ? served.tenants : [];
  const keyless = { ...served, admin, federation, tenants: tenants.map((tenant) => ({ ...tenant, api_keys: [] })) };
  const parsed = schema.safeParse(keyless, { error: describeAllowed });
  if (!parsed.success) throw problemsError(problemsOf(parsed.error.issues, keyless), () => undefined);
  const { pack } = parsed.data.tool_policies;
  if (pack !== null && (typeof pack === 'string' || !hasItsRules(pack)))
    throw new TypeError('a served configuration holds the rules of its pack');
  const warnings: string[] = [];
  const keys = usableKeys(parsed.data, federation.local_keys, warnings);
  const file = {
    ...parsed.data,
    tenants: parsed.data.tenants.map((tenant) => ({ ...tenant, api_keys: [...(keys.get(tenant.id) ?? [])] })),
  };
  const problems = checkConfiguration(file, warnings);
  if (problems.length > 0) throw problemsError(problems, () => undefined);
  const configuration = storedForm(file, pack);
  // a policy that does not compile is never activated
  compilePolicy({ ...buildPolicyDocument(configuration), levels: levelsWithRules(configuration) });
  return { configuration, warnings };
}

/**
 * Returns the local keys by tenant. Keys whose tenant or person is unknown to the control plane are skipped with a
 * warning.
 */
function usableKeys(
  { tenants, people }: Pick<Configuration, 'people'> & { readonly tenants: readonly { readonly id: string }[] },
  localKeys: readonly LocalKey[],
  warnings: string[],
): Map<string, KeyEntry[]> {
  const keys = new Map<string, KeyEntry[]>();
  for (const [at, { tenant, ...key }] of localKeys.entries()) {
    const missing = missingOf(key);
    if (missing) {
      warnings.push(`federation.local_keys[${at}] is skipped: the control plane has no ${missing}.`);
      continue;
    }
    keys.set(tenant, [...(keys.get(tenant) ?? []), key as KeyEntry]);

    function missingOf({ person, owner }: Omit<LocalKey, 'tenant'>): string | undefined {
      if (!tenants.some(({ id }) => id === tenant)) return `tenant ${tenant}`;
      const unknown = [person, owner].find((named) => named !== undefined && !people.some(({ id }) => id === named));
      return unknown === undefined ? undefined : `person ${unknown}`;
    }
  }
  return keys;
}
