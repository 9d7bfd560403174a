/** Approval terms of rules, and a check of which of two rules requires less. */

import type { Requirement } from '#core/contracts/separation.ts';
import type { ToolRule } from '#core/contracts/tool-policy.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { countText } from '#core/kernel/count-text.ts';

export interface ApprovalTerms {
  readonly require_passkey: boolean;
  /** Timeout of each rule in seconds; undefined for the configured default. */
  readonly times: readonly (number | undefined)[];
  /** True if every rule lets a reviewer decide on identical calls in one step. */
  readonly together?: boolean;
  /** Number of people who must approve, and whose approval counts. Absent if one approval by any person is enough. */
  readonly requires?: readonly Requirement[];
}

export function termsOfRule(rule: ToolRule): ApprovalTerms {
  const requires = requirementOf(rule);
  return {
    require_passkey: rule.approval?.require_passkey === true,
    times: [rule.approval?.timeout_seconds],
    ...(rule.approval?.together && { together: true }),
    ...(requires && { requires: [requires] }),
  };
}

/** Combines two sets of terms so that an approval under the result satisfies both. */
export function bothTerms(own: ApprovalTerms, more: ApprovalTerms): ApprovalTerms {
  const requires = new Map(
    [...(own.requires ?? []), ...(more.requires ?? [])].map((each) => [canonicalize(each), each]),
  );
  return {
    require_passkey: own.require_passkey || more.require_passkey,
    times: [...new Set([...own.times, ...more.times])],
    ...(own.together && more.together && { together: true }),
    ...(requires.size > 0 && { requires: [...requires.values()] }),
  };
}

function requirementOf({
  name,
  protocol,
  tool,
  approval = {},
}: Pick<ToolRule, 'name' | 'protocol' | 'tool' | 'approval'>): Requirement | undefined {
  const { required = 1, from_teams, roles } = approval;
  if (required === 1 && !from_teams && !roles) return undefined;
  return {
    rule: name ?? `${protocol}:${tool}`,
    approvals: required,
    ...(from_teams && { from_teams }),
    ...(roles && { roles }),
  };
}

/** A rule, or a default, which has no approval terms. */
type ApprovalRule = Pick<ToolRule, 'approval'>;

const any = { protocol: '*', tool: '*' };

/** Checks whether an approval that satisfies `after` may be insufficient for `before` [policy.diff]. */
export const asksForLess = (before: ApprovalRule, after: ApprovalRule): boolean => {
  const [old, now] = [requirementOf({ ...any, ...before }), requirementOf({ ...any, ...after })];
  return (
    (before.approval?.require_passkey === true && after.approval?.require_passkey !== true) ||
    (old !== undefined && !(now && covers(now, old)))
  );
};

/** Checks whether every approval that satisfies `now` satisfies `old`. */
const covers = (now: Requirement, old: Requirement): boolean =>
  now.approvals >= old.approvals && isWithin(now.from_teams, old.from_teams) && isWithin(now.roles, old.roles);

const isWithin = (now: readonly string[] | undefined, old: readonly string[] | undefined): boolean =>
  !old || (now?.every((each) => old.includes(each)) ?? false);

/** Describes the approval that a rule requires. */
export function approvalText(rule: ApprovalRule): string {
  const { required = 1, from_teams, roles, require_passkey } = rule.approval ?? {};
  return [
    countText(required, 'approval'),
    ...(from_teams ? [`of ${from_teams.join(' or ')}`] : []),
    ...(roles ? [`with the role ${roles.join(' or ')}`] : []),
    ...(require_passkey ? ['with a passkey'] : []),
  ].join(' ');
}
