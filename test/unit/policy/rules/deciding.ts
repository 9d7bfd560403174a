/** Policies with a few rules, and a call for them. */
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { ToolPolicyDocument, ToolRule } from '#core/contracts/tool-policy.ts';

export const policyOf = (...rules: (Partial<ToolRule> & Pick<ToolRule, 'decision'>)[]): ToolPolicyDocument => ({
  name: 'test',
  default_decision: 'review',
  rules: rules.map((rule) => ({ protocol: '*', tool: '*', ...rule })),
});
export const call = (fields: Partial<ToolCall> = {}): ToolCall => ({
  protocol: 'git',
  tool: 'scm.get_file',
  target: 'acme/web',
  capability: 'read',
  parameters: {},
  ...fields,
});
