/** The tool policy of a configuration: its own rules, then its pack's (contract §1). */
import type { Configuration } from '#core/contracts/config.ts';
import type { ToolPolicyDocument } from '#core/contracts/tool-policy.ts';

/** Without a pack and without a word for it, what no rule matches is reviewed: fail closed, but not shut. */
export function buildPolicyDocument({
  tool_policies: { pack, rules, default_decision },
}: Pick<Configuration, 'tool_policies'>): ToolPolicyDocument {
  return {
    name: pack?.name ?? 'configured',
    default_decision: default_decision ?? pack?.default_decision ?? 'review',
    rules: [...rules, ...(pack?.rules ?? [])],
  };
}
