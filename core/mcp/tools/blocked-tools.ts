/** Which tools a caller is not shown: those no arguments would make the policy let through. */
import type { CompiledPolicy } from '#core/policy/rules/compile.ts';
import { normaliseCall } from '#core/policy/rules/normalise.ts';
import type { ToolWords } from './action.ts';

/** True only if every rule that could match first blocks, whatever target and arguments a call has: of the policy, or of one level. */
export const certainlyBlocked = (policy: CompiledPolicy, words: ToolWords): boolean =>
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
