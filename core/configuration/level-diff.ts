/** Compares the decisions made by organisation levels in two configurations, level by level [policy.diff]. */

import { levelsWithRules } from '#core/configuration/identity/organization.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { ToolPolicyDocument } from '#core/contracts/tool-policy.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import type { PolicyDiff } from '#core/policy/rules/analysis/diff.ts';
import { levelDocument } from './checks/level-checks.ts';

interface LevelDiff extends PolicyDiff {
  /** Path of the level, such as `acme/web`. */
  readonly path: string;
}

type OrganizationsSection = Pick<Configuration, 'organizations'>;

/**
 * Returns the levels that differ. A call without a matching rule counts as allowed by the level, because the other
 * levels make the decision.
 */
export async function diffLevels(
  before: OrganizationsSection,
  after: OrganizationsSection,
  diff: (before: ToolPolicyDocument, after: ToolPolicyDocument) => PolicyDiff | Promise<PolicyDiff>,
): Promise<LevelDiff[]> {
  const [old, current] = [documentsOf(before), documentsOf(after)];
  const found: LevelDiff[] = [];
  for (const path of [...new Set([...old.keys(), ...current.keys()])].sort()) {
    const [from, to] = [old, current].map((each) => each.get(path) ?? levelDocument({ path, rules: [] }));
    if (canonicalize(from) !== canonicalize(to)) found.push({ path, ...(await diff(from!, to!)) });
  }
  return found;
}

const documentsOf = (configuration: OrganizationsSection): Map<string, ToolPolicyDocument> =>
  new Map(levelsWithRules(configuration).map((level) => [level.path, levelDocument(level)]));
