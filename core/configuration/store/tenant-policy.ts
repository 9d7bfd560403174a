/** The policy as it holds for one tenant: with the rules of the levels of the organisation that the tenant stands in [identity.level-policies]. */

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

interface InForce extends Policies {
  readonly configuration: Pick<Configuration, 'organizations'>;
  /** The tenant whose levels it holds already. */
  readonly ofTenant?: string | undefined;
}

const scopedFrom = remembered((_: InForce) => new Map<string, InForce>());

/**
 * The same snapshot where no level above the tenant has rules; else one whose policy holds them, the same object for each call.
 * Every decision on a tool call goes through this.
 */
export function ofTenant<Given extends InForce>(snapshot: Given, tenant: string): Given {
  // A tenant is asked for once more with what it was given: nothing is added twice.
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

/** The policy of a tenant by any configuration, such as that of an earlier version. */
export const policyOfTenant = (
  configuration: Pick<Configuration, 'tool_policies' | 'organizations'>,
  tenant: string,
): ToolPolicyDocument => {
  const levels = levelsOf(configuration, tenant);
  return { ...buildPolicyDocument(configuration), ...(levels.length > 0 && { levels }) };
};
