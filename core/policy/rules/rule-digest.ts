/**
 * Identifies a rule by its content, so that its decisions are not counted together with those of other rules with the
 * same name.
 */
import type { ToolRule } from '#core/contracts/tool-policy.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { remembered } from '#core/kernel/remembered.ts';

/**
 * Returns the SHA-256 of a rule's conditions and decision. It is the same in all versions of a policy that contain this
 * rule, even under another name or with a different description.
 */
export const ruleDigest = remembered((rule: ToolRule): string => {
  const { name: _, reason: __, suggested_alternative: ___, ...own } = rule;
  return digestOf(own);
});
