/** Hides tools that the policy blocks for all arguments. */
import type { CompiledPolicy } from '#core/policy/rules/compile.ts';
import { normaliseCall } from '#core/policy/rules/normalise.ts';
import type { ToolWords } from './action.ts';

/**
 * Checks whether the policy, or one of its levels, blocks every call to the tool, regardless of target and arguments.
 */
export const isAlwaysBlocked = (policy: CompiledPolicy, words: ToolWords): boolean =>
  [policy, ...(policy.levels ?? [])].some((each) => blocksAll(each, words));

function blocksAll(policy: CompiledPolicy, words: ToolWords): boolean {
  const call = normaliseCall({ ...words, target: '', parameters: {} });
  for (const rule of policy.index.candidates(call.protocol, call.tool)) {
    if (rule.upstream && !rule.upstream.matches(call.upstream)) continue;
    if (rule.capability && !rule.capability.matches(call.capability)) continue;
    if (rule.rule.decision !== 'block') return false;
    if (rule.target === undefined && rule.arguments.length === 0) return true;
  }
  return policy.defaultDecision === 'block';
}
