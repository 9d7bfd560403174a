/**
 * Reports which of a tenant's own rules override a pack's blocks or reviews [policy.diff]. These are the loosened
 * regions of a diff, grouped by the tenant's rule that matches afterwards. Calls covered by a guard lifted with
 * `disable_guards` are included.
 */
import type { Decision } from '#core/contracts/envelope.ts';
import { type PlacedRegion, type Region, tightens } from './diff.ts';

/** A rule in the pack, a guard or the default, overridden by one of the tenant's own rules. */
interface LiftedDecision {
  /** As in `Region.rule_before`. */
  readonly rule: string;
  /** Index among the rules before the change. Absent for guards and the default. */
  readonly index?: number;
  readonly from: Decision;
  readonly to: Decision;
  readonly example: Region['example'];
}

export interface RuleLifts {
  readonly rule: string;
  /** Index of the tenant's rule in `tool_policies.rules`. */
  readonly index: number;
  readonly lifts: readonly LiftedDecision[];
}

/**
 * Returns the tenant's own rules that loosen something, in policy order. For each rule, lifted guards come first and
 * the default last, as in the regions.
 * @param own the number of the tenant's own rules in each policy; they precede those of the pack.
 */
export function liftsOf(
  regions: readonly PlacedRegion[],
  own: { readonly before: number; readonly after: number },
): RuleLifts[] {
  const found = new Map<number, { readonly rule: string; readonly lifts: Map<string, LiftedDecision> }>();
  for (const region of regions) {
    const { index_before, index_after, rule_before, rule_after, from, to, example } = region;
    const isOwnNow = index_after !== undefined && index_after >= 0 && index_after < own.after;
    const wasOwn = index_before !== undefined && index_before >= 0 && index_before < own.before;
    if (!isOwnNow || wasOwn || region.approval || tightens(region)) continue;
    const lifting = found.get(index_after) ?? { rule: rule_after, lifts: new Map<string, LiftedDecision>() };
    found.set(index_after, lifting);
    const isRule = index_before !== undefined && index_before >= 0;
    const lifted = { rule: rule_before, ...(isRule && { index: index_before }), from, to, example };
    // A guard has several conditions, so only its shortest example is kept.
    const key = `${rule_before}#${isRule ? index_before : ''}#${to}`;
    const known = lifting.lifts.get(key);
    if (!known || sizeOf(known) > sizeOf(lifted)) lifting.lifts.set(key, lifted);
  }
  return [...found]
    .sort(([a], [b]) => a - b)
    .map(([index, { rule, lifts }]) => ({ rule, index, lifts: [...lifts.values()] }));
}

const sizeOf = ({ example }: LiftedDecision): number => JSON.stringify(example).length;
