/** Finds rules that can never match, because earlier rules match all of their calls. The result is exact. */
import type { ToolPolicyDocument } from '#core/contracts/tool-policy.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import { type CompiledRule, compilePolicy } from '../compile.ts';
import { BudgetSpent, StateBudget } from './automaton-product.ts';
import { UnsolvedError } from './parameter-solver.ts';
import { Reach } from './reachability.ts';

export const defaultStateBudget = 200_000;

export interface UnreachableRule {
  /** Index of the rule. Negative for a guard. */
  readonly index: number;
  /** `<protocol>:<tool-pattern>`, or `guard:<name>`. */
  readonly rule: string;
  /** Indexes of the rules that match all of its calls first. Empty if no call can match the rule at all. */
  readonly covered_by: readonly number[];
  /** Guards that match its calls first. They have no index among the rules. */
  readonly guards?: readonly string[];
}

interface PolicyAnalysis {
  /** False if a rule was too costly to analyse; a warning names the rule. */
  readonly analysed: boolean;
  readonly unreachable: readonly UnreachableRule[];
  readonly warnings: readonly string[];
}

/**
 * Cache of analyses. A reloaded configuration usually has the same policies, and a large policy takes seconds to
 * analyse.
 */
const analyses = new RecentMap<string, PolicyAnalysis>({ max: 64 });

interface AnalysisOptions {
  readonly stateBudget?: number;
  /** Set if each guard is known to match some call, as in a shipped pack, so that only the rules are analysed. */
  readonly guardsProven?: boolean;
}

/**
 * Finds unreachable guards and rules.
 * @throws GatewayError `invalid_request` if the policy does not compile.
 */
export function analysePolicy(
  document: ToolPolicyDocument,
  { stateBudget = defaultStateBudget, guardsProven = false }: AnalysisOptions = {},
): PolicyAnalysis {
  if (guardsProven && document.rules.length === 0) return { analysed: true, unreachable: [], warnings: [] };
  const key = sha256(JSON.stringify([document, stateBudget, guardsProven]));
  const analysis = analyses.get(key) ?? newAnalysis(document, stateBudget, guardsProven);
  analyses.set(key, analysis);
  return analysis;
}

function newAnalysis(document: ToolPolicyDocument, stateBudget: number, guardsProven: boolean): PolicyAnalysis {
  const { guards, rules } = compilePolicy(document);
  const reach = new Reach([...guards, ...rules], new StateBudget(stateBudget));
  const unreachable: UnreachableRule[] = [];
  const warnings: string[] = [];
  const unproven = guardsProven ? [] : guards;
  for (const name of new Set(unproven.map((guard) => guard.name))) {
    const own = guards.filter((guard) => guard.name === name);
    const found = analysisOrError(() => own.some((guard) => reach.find([guard], [], false)));
    if (found instanceof Error) warnings.push(`${name}: not analysed: ${found.message}.`);
    else if (!found) unreachable.push({ index: own[0]!.index, rule: name, covered_by: [] });
  }
  for (const rule of rules) {
    const covered = analysisOrError(() => coverOf(rule, [...guards, ...rules.slice(0, rule.index)], reach));
    if (covered instanceof Error)
      warnings.push(`rules[${rule.index}] (${rule.name}): not analysed: ${covered.message}.`);
    else if (covered) unreachable.push({ index: rule.index, rule: rule.name, ...takers(covered) });
  }
  return { analysed: warnings.length === 0, unreachable, warnings };
}

/** Returns an error for an exceeded budget or an unsolved case as a value. Rethrows all other errors. */
export function analysisOrError<T>(ask: () => T): T | Error {
  try {
    return ask();
  } catch (thrown) {
    if (thrown instanceof BudgetSpent || thrown instanceof UnsolvedError) return thrown;
    throw thrown;
  }
}

const smallCover = 24;

/** Returns the smallest set of rules that covers a rule. Undefined if the rule can match. */
function coverOf(rule: CompiledRule, earlier: readonly CompiledRule[], reach: Reach): CompiledRule[] | undefined {
  if (reach.find([rule], earlier, false)) return undefined;
  let cover = earlier.filter((other) => reach.overlap(rule, other));
  if (cover.length <= smallCover) {
    for (const candidate of [...cover].reverse()) {
      const others = cover.filter((other) => other !== candidate);
      if (!reach.find([rule], others, false)) cover = others;
    }
  }
  return cover;
}

function takers(cover: readonly CompiledRule[]): Pick<UnreachableRule, 'covered_by' | 'guards'> {
  const guards = [...new Set(cover.filter(({ index }) => index < 0).map(({ name }) => name))];
  const covered_by = cover.filter(({ index }) => index >= 0).map(({ index }) => index);
  return { covered_by, ...(guards.length > 0 && { guards }) };
}
