/** Finds every region of calls on which two policies disagree, with a shortest example for each. */
import type { regionSchema } from '#core/contracts/answers/policies.ts';
import { type Decision, decisions, type ToolCall } from '#core/contracts/envelope.ts';
import type { Shape } from '#core/contracts/shape.ts';
import type { ToolPolicyDocument } from '#core/contracts/tool-policy.ts';
import { approvalText, asksForLess } from '../approval-terms.ts';
import { type CompiledPolicy, type CompiledRule, compilePolicy } from '../compile.ts';
import { firstMatch, worstReading } from '../decide.ts';
import { analysisOrError, defaultStateBudget } from './analyse.ts';
import { StateBudget } from './automaton-product.ts';
import { UnsolvedError } from './parameter-solver.ts';
import { Reach } from './reachability.ts';

/** Calls that match one rule before and another rule after. */
export interface Region extends Omit<Shape<typeof regionSchema>, 'example'> {
  readonly example: Omit<ToolCall, 'parameters' | 'sources' | 'assumed'> &
    Partial<Pick<ToolCall, 'parameters'>> & {
      /** Conditions on sources that are true in the example. All other conditions on sources are false. */
      readonly holding?: readonly string[];
    };
}

/** Returns the call in an example, with its assumptions about sources taken as true. */
export const callOfExample = ({ holding, ...call }: Region['example']): ToolCall => ({
  parameters: {},
  ...call,
  ...(holding && { assumed: new Set(holding) }),
});

export interface PolicyDiff {
  /** False if a pair of rules was too costly to compare; a warning names the pair. */
  readonly analysed: boolean;
  readonly tightened: readonly Region[];
  readonly loosened: readonly Region[];
  readonly warnings: readonly string[];
}

/** A region with the indexes of its two rules in their policies. */
export interface PlacedRegion extends Region {
  readonly index_before?: number | undefined;
  readonly index_after?: number | undefined;
}

/** Selects the pairs of ends to compare. */
export type PairFilter = (before: End, after: End) => boolean;

/**
 * Compares two policies.
 * @throws GatewayError `invalid_request` if a policy does not compile.
 */
export const diffPolicies = (before: ToolPolicyDocument, after: ToolPolicyDocument): PolicyDiff =>
  diffOf(regionsOf(before, after));

/** Returns the difference made up of these regions, grouped by the names of their rules. */
export function diffOf({ regions, warnings }: ReturnType<typeof regionsOf>): PolicyDiff {
  const grouped = groups(regions);
  return {
    analysed: warnings.length === 0,
    tightened: grouped.filter(tightens),
    loosened: grouped.filter((region) => !tightens(region)),
    warnings,
  };
}

export const tightens = ({ from, to, approval }: Region): boolean =>
  approval ? !approval.loosened : decisions.indexOf(to) > decisions.indexOf(from);

/** Returns a region for each selected pair of ends whose decisions or approval terms differ. */
export function regionsOf(
  before: ToolPolicyDocument,
  after: ToolPolicyDocument,
  asked: PairFilter = () => true,
): { readonly regions: readonly PlacedRegion[]; readonly warnings: readonly string[] } {
  const regions: PlacedRegion[] = [];
  const warnings: string[] = [];
  for (const { x, y, show } of pairsOf(before, after)) {
    if (!(x.decision !== y.decision || approvalOf(x, y)) || !asked(x, y)) continue;
    const call = analysisOrError(() => show(true));
    const pair = `${x.name} (${x.decision}) → ${y.name} (${y.decision})`;
    if (call instanceof Error) warnings.push(`${pair}: not analysed: ${call.message}.`);
    else if (call) regions.push(regionOf(x, y, call));
  }
  return { regions, warnings };
}

/**
 * Checks whether any call ends at a selected pair, even if the decisions are equal. A pair that is too costly to check
 * is treated as if no call ends there.
 */
export function hasDifferingCall(before: ToolPolicyDocument, after: ToolPolicyDocument, asked: PairFilter): boolean {
  return [...pairsOf(before, after)].some(({ x, y, show }) => {
    const call = asked(x, y) && analysisOrError(() => show(false));
    return call && !(call instanceof Error);
  });
}

interface Pair {
  readonly x: End;
  readonly y: End;
  /** Returns a call that ends at both, or the shortest such call if requested. @throws BudgetSpent, Unsolved */
  show(shortest: boolean): ToolCall | undefined;
}

function* pairsOf(before: ToolPolicyDocument, after: ToolPolicyDocument): Generator<Pair> {
  const [a, b] = [compilePolicy(before), compilePolicy(after)];
  const reach = new Reach(
    [a, b].flatMap(({ guards, rules }) => [...guards, ...rules]),
    new StateBudget(defaultStateBudget),
  );
  for (const x of endsOf(a)) {
    for (const y of endsOf(b)) {
      const ends = (call: ToolCall): boolean => isDecidedAt(a, b, x, y, call);
      const show = (shortest: boolean): ToolCall | undefined =>
        haveSameDecision(x, y, reach) ? undefined : shownBy(x, y, reach, shortest, ends);
      yield { x, y, show };
    }
  }
}

/** Merges regions between rules with the same names: a rule that lifts a guard lifts each of its conditions. */
function groups(regions: readonly PlacedRegion[]): Region[] {
  const byRules = new Map<string, Region[]>();
  for (const { index_before: _before, index_after: _after, ...region } of regions) {
    const { from, to, rule_before, rule_after, approval } = region;
    const key = JSON.stringify([from, to, rule_before, rule_after, approval]);
    byRules.set(key, [...(byRules.get(key) ?? []), region]);
  }
  const size = ({ example }: Region): number => JSON.stringify(example).length;
  return [...byRules.values()].map((same) => {
    const shortest = same.reduce((best, region) => (size(region) < size(best) ? region : best));
    return same.length === 1 ? shortest : { ...shortest, repeated: same.length };
  });
}

/** A way to reach a decision: by a rule when no earlier rule matches, or by default. */
interface End {
  readonly name: string;
  readonly decision: Decision;
  readonly rules: readonly CompiledRule[];
  readonly earlier: readonly CompiledRule[];
}

const endsOf = ({ guards, rules, defaultDecision }: CompiledPolicy): End[] => {
  const all = [...guards, ...rules];
  return [
    ...all.map((rule, i) => ({
      name: rule.name,
      decision: rule.rule.decision,
      rules: [rule],
      earlier: all.slice(0, i),
    })),
    { name: 'default', decision: defaultDecision, rules: [], earlier: all },
  ];
};

/**
 * Checks whether an equal rule comes earlier in the other policy and matches the calls there first. For similar
 * policies, this settles most pairs.
 */
const haveSameDecision = (x: End, y: End, reach: Reach): boolean =>
  x.rules.some((rule) => y.earlier.some((other) => reach.same(rule, other))) ||
  y.rules.some((rule) => x.earlier.some((other) => reach.same(rule, other)));

const maxExamples = 64;

/** Returns a call of a region, confirmed by the engine's own decision. */
function shownBy(
  x: End,
  y: End,
  reach: Reach,
  shortest: boolean,
  isShown: (call: ToolCall) => boolean,
): ToolCall | undefined {
  const without = [...x.earlier, ...y.earlier];
  for (let i = 0; i < maxExamples; i++) {
    const call = reach.find([...x.rules, ...y.rules], without, shortest);
    if (!call || isShown(call)) return call;
    without.push(reach.otherThan(call.target));
  }
  throw new UnsolvedError(`none of ${maxExamples} calls is in normal form`);
}

const isDecidedAt = (a: CompiledPolicy, b: CompiledPolicy, x: End, y: End, call: ToolCall): boolean =>
  endsAt(a, call) === x.rules[0]?.index && endsAt(b, call) === y.rules[0]?.index;

const endsAt = (policy: CompiledPolicy, call: ToolCall): number | undefined =>
  firstMatch(policy, worstReading(policy, call))?.index;

function regionOf(x: End, y: End, { parameters, assumed, sources: _, ...call }: ToolCall): PlacedRegion {
  const example = {
    ...call,
    ...(Object.keys(parameters).length > 0 && { parameters }),
    ...(assumed && { holding: [...assumed] }),
  };
  const approval = approvalOf(x, y);
  const [index_before, index_after] = [x, y].map(({ rules: [rule] }) => rule?.index);
  return {
    from: x.decision,
    to: y.decision,
    rule_before: x.name,
    rule_after: y.name,
    ...(approval && { approval }),
    example,
    index_before,
    index_after,
  };
}

/**
 * Compares the approvals required by two review rules: whether a passkey is required, how many people must approve, and
 * who may approve [policy.diff].
 */
function approvalOf(x: End, y: End): Region['approval'] {
  if (x.decision !== 'review' || y.decision !== 'review') return undefined;
  const [before, after] = [x, y].map(({ rules: [first] }) => first?.rule ?? {});
  const loosened = asksForLess(before!, after!);
  return loosened || asksForLess(after!, before!)
    ? { before: approvalText(before!), after: approvalText(after!), loosened }
    : undefined;
}
