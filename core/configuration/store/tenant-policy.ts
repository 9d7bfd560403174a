/** Adds the level rules of a tenant's organisation to the tenant's policy [identity.organizations]. */

import { levelsOf } from '#core/configuration/identity/organization.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { LevelPolicy, ToolPolicyDocument } from '#core/contracts/tool-policy.ts';
import { remembered } from '#core/kernel/remembered.ts';
import { type CompiledPolicy, compilePolicy } from '#core/policy/rules/compile.ts';
import { buildPolicyDocument } from '../load/policy-document.ts';

interface Policies {
  readonly policyDocument: ToolPolicyDocument;
  readonly policy: CompiledPolicy;
}

interface ActivePolicies extends Policies {
  readonly configuration: Pick<Configuration, 'organizations'>;
  /** The tenant whose level rules are already included. */
  readonly ofTenant?: string | undefined;
}

const scopedFrom = remembered((_: ActivePolicies) => new Map<string, ActivePolicies>());

/**
 * Returns the snapshot with a tenant's policy: the same snapshot if no level above the tenant has rules, otherwise a
 * cached one. Every decision on a tool call uses this function.
 */
export function ofTenant<Given extends ActivePolicies>(snapshot: Given, tenant: string): Given {
  // The snapshot may already be the tenant's, in which case its rules must not be added twice.
  if (snapshot.ofTenant === tenant) return snapshot;
  const scoped = scopedFrom(snapshot);
  let found = scoped.get(tenant) as Given | undefined;
  if (!found) {
    const levels = levelsOf(snapshot.configuration, tenant);
    found = levels.length === 0 ? snapshot : { ...snapshot, ...withLevels(snapshot, levels), ofTenant: tenant };
    scoped.set(tenant, found);
  }
  return found;
}

function withLevels({ policy, policyDocument }: Policies, levels: readonly LevelPolicy[]): Policies {
  const compiled = compilePolicy({ name: policy.name, default_decision: policy.defaultDecision, rules: [], levels });
  return {
    policyDocument: { ...policyDocument, levels },
    policy: {
      ...policy,
      levels: compiled.levels ?? [],
      readsSources: policy.readsSources || compiled.readsSources,
    },
  };
}

/** Returns a tenant's policy in any configuration, such as that of an earlier version. */
export const policyOfTenant = (
  configuration: Pick<Configuration, 'tool_policies' | 'organizations'>,
  tenant: string,
): ToolPolicyDocument => {
  const levels = levelsOf(configuration, tenant);
  return { ...buildPolicyDocument(configuration), ...(levels.length > 0 && { levels }) };
};
