/**
 * Which rule of one's own lifts what a pack holds back [policy.lifted-by]: the loosened regions of a difference, sorted by the own rule
 * that decides them afterwards. A guard is lifted by `disable_guards` first; what decides its calls then is named nevertheless.
 */
import type { Decision } from '#core/contracts/envelope.ts';
import { type PlacedRegion, type Region, tightens } from './diff.ts';

/** A rule of the pack, a guard or the default, no longer in the way of an own rule. */
export interface Lifted {
  /** As in `Region.rule_before`. */
  readonly rule: string;
  /** Its place among the rules before; absent for guards and the default. */
  readonly index?: number;
  readonly from: Decision;
  readonly to: Decision;
  readonly example: Region['example'];
}

export interface Lifting {
  readonly rule: string;
  /** Its place in `tool_policies.rules`. */
  readonly index: number;
  readonly lifts: readonly Lifted[];
}

/**
 * @param own how many rules of each policy are not the pack's; they stand first.
 * @returns the own rules that loosen something, in their order; guards first, then what the pack decides.
 */
export function liftsOf(
  regions: readonly PlacedRegion[],
  own: { readonly before: number; readonly after: number },
): Lifting[] {
  const found = new Map<number, { readonly rule: string; readonly lifts: Map<string, Lifted> }>();
  for (const region of regions) {
    const { index_before, index_after, rule_before, rule_after, from, to, example } = region;
    const isOwnNow = index_after !== undefined && index_after >= 0 && index_after < own.after;
    const wasOwn = index_before !== undefined && index_before >= 0 && index_before < own.before;
    if (!isOwnNow || wasOwn || region.approval || tightens(region)) continue;
    const lifting = found.get(index_after) ?? { rule: rule_after, lifts: new Map<string, Lifted>() };
    found.set(index_after, lifting);
    const isRule = index_before !== undefined && index_before >= 0;
    const lifted = { rule: rule_before, ...(isRule && { index: index_before }), from, to, example };
    // A guard has several conditions; one example of it is enough, the shortest.
    const key = `${rule_before}#${isRule ? index_before : ''}#${to}`;
    const known = lifting.lifts.get(key);
    if (!known || sizeOf(known) > sizeOf(lifted)) lifting.lifts.set(key, lifted);
  }
  return [...found]
    .sort(([a], [b]) => a - b)
    .map(([index, { rule, lifts }]) => ({ rule, index, lifts: [...lifts.values()].sort(gravest) }));
}

const sizeOf = ({ example }: Lifted): number => JSON.stringify(example).length;

/** Guards before rules, rules in their order, the default last. */
function gravest(a: Lifted, b: Lifted): number {
  const place = ({ rule, index }: Lifted) => index ?? (rule.startsWith('guard:') ? -1 : Number.POSITIVE_INFINITY);
  return place(a) - place(b) || 0;
}
