/**
 * Proposes a policy from recorded traffic: the narrowest rules that allow the allowed calls without allowing any call
 * that was blocked or denied [cli.policy-mine].
 */
import type { Decision, ToolCall } from '#core/contracts/envelope.ts';
import type { ToolPack, ToolRule } from '#core/contracts/tool-policy.ts';
import { decideEffects } from '#core/effects/decide-effects.ts';
import type { Effects } from '#core/effects/ports.ts';
import { remembered } from '#core/kernel/remembered.ts';
import { type CompiledPolicy, compilePolicy } from '#core/policy/rules/compile.ts';
import { decide } from '#core/policy/rules/decide.ts';
import {
  type Group,
  groupOf,
  groupsOf,
  type KeptPolicy,
  type NamesByTool,
  namesByTool,
  packOf,
  rulesByGroup,
} from './groups.ts';
import type { RecordedCall } from './recorded-calls.ts';

export interface MinedPolicy {
  readonly pack: ToolPack;
  /** Recorded calls that were allowed but that the proposal does not allow. */
  readonly uncovered: readonly { readonly call: ToolCall; readonly why: string }[];
  /** How often a rule was narrowed or removed because it would have allowed a call that was not allowed. */
  readonly narrowed: number;
  readonly load: Load;
}

type Shares = Readonly<Record<Decision, number>>;

/** Recorded calls, counted by their decision and by the proposal's decision. */
export interface Load {
  readonly calls: number;
  /** Approved and denied calls count as reviewed. */
  readonly recorded: Shares;
  readonly proposed: Shares;
}

interface Observed extends RecordedCall {
  readonly effects: Effects;
}

/**
 * Proposes a policy.
 * @param kept blocking rules that precede the proposed ones.
 * @throws the errors of `effectsOf`.
 */
export async function minePolicy(
  recorded: readonly RecordedCall[],
  effectsOf: (call: ToolCall) => Promise<Effects>,
  kept: KeptPolicy = { guards: [], rules: [], default_decision: 'review' },
): Promise<MinedPolicy> {
  const observed: Observed[] = [];
  for (const each of recorded) observed.push({ ...each, effects: await effectsOf(each.call) });
  const uncovered: { call: ToolCall; why: string }[] = [];
  const units: ToolCall[] = [];
  for (const { call, decided, whole, effects } of observed) {
    if (decided !== 'allow') continue;
    const own = whole ? unitsOf(call, effects) : undefined;
    if (own) units.push(...own);
    else
      uncovered.push({ call, why: whole ? (effects.unclear ?? 'it sets variables') : 'its parameters are redacted' });
  }
  const groups = groupsOf(units);
  const names = namesByTool(observed.map(({ call }) => call));
  let narrowed = 0;
  for (;;) {
    const pack = packOf(groups, names, kept);
    const faulty = faultyGroups(compilePolicy(pack), pack, groups, observed);
    if (faulty.size === 0) break;
    for (const group of faulty) {
      group.level = group.level === 'general' ? 'exact' : 'none';
      narrowed++;
    }
  }
  for (const call of leaveIdle(groups, names, kept, observed))
    uncovered.push({ call, why: 'a rule for it would allow calls that were not allowed, or no rule can name it' });
  const pack = packOf(groups, names, kept);
  return { pack, uncovered, narrowed, load: loadOf(compilePolicy(pack), observed) };
}

/**
 * Removes rules that no allowed call needs.
 * @returns the allowed calls that are not covered.
 */
function leaveIdle(
  groups: readonly Group[],
  names: NamesByTool,
  kept: KeptPolicy,
  observed: readonly Observed[],
): ToolCall[] {
  const pack = packOf(groups, names, kept);
  const policy = compilePolicy(pack);
  const byRule = rulesByGroup(pack, groups);
  const used = new Set<Group>();
  const uncovered: ToolCall[] = [];
  for (const { call, decided, whole, effects } of observed) {
    const units = decided === 'allow' && whole ? unitsOf(call, effects) : undefined;
    if (!units) continue;
    if (decideEffects(policy, call, effects).decision !== 'allow') uncovered.push(call);
    else
      for (const unit of units) for (const group of [groupOf(policy, pack, byRule, unit) ?? []].flat()) used.add(group);
  }
  for (const group of groups) if (!used.has(group)) group.level = 'none';
  return uncovered;
}

/**
 * Counts the decisions. An allowed call with redacted parameters counts as a review, because rules would see the real
 * values.
 */
function loadOf(policy: CompiledPolicy, observed: readonly Observed[]): Load {
  const recorded = { allow: 0, review: 0, block: 0 };
  const proposed = { allow: 0, review: 0, block: 0 };
  for (const { call, decided, whole, effects } of observed) {
    recorded[decided === 'approved' || decided === 'denied' ? 'review' : decided]++;
    const { decision } = decideEffects(policy, call, effects);
    proposed[decision === 'allow' && !whole ? 'review' : decision]++;
  }
  return { calls: observed.length, recorded, proposed };
}

/** Returns the groups whose rule, alone or together with others, allows a call that was not allowed. */
function faultyGroups(
  policy: CompiledPolicy,
  pack: ToolPack,
  groups: readonly Group[],
  observed: readonly Observed[],
): Set<Group> {
  const byRule = rulesByGroup(pack, groups);
  const faulty = new Set<Group>();
  for (const { call, decided, whole, effects } of observed) {
    if (decided === 'allow') continue;
    const units = everyUnit(call, effects);
    const forbidden = decided === 'block' || decided === 'denied';
    const found = units.flatMap((unit) => groupOf(policy, pack, byRule, unit) ?? []);
    if (decideEffects(policy, call, effects).decision === 'allow') {
      // A reviewed call may be identical to an allowed one, so only rules for whole folders are too wide for it.
      const tooWide = found.filter(({ level }) => forbidden || level === 'general');
      for (const group of tooWide) faulty.add(group);
      if (forbidden && tooWide.length === 0)
        throw new TypeError(`The rules that are kept allow ${call.tool} on ${call.target}, which was ${decided}.`);
    }
    // Redacted parameters may have had any value, so the rule must not match such a call with any values.
    if (forbidden && !whole)
      for (const [rule, group] of byRule) if (units.some((unit) => matchesBare(rule, unit))) faulty.add(group);
  }
  return faulty;
}

const policyWithoutArguments = remembered(
  ({ arguments: _, ...rest }: ToolRule): CompiledPolicy =>
    compilePolicy({ name: 'bare', default_decision: 'block', rules: [rest] }),
);

/** Checks whether the rule would match the call if its parameters were different. */
const matchesBare = (rule: ToolRule, unit: ToolCall): boolean =>
  decide(policyWithoutArguments(rule), { ...unit, parameters: {} }).decision === 'allow';

/**
 * Returns the units, or undefined if no rule is proposed: the text is unclear, reveals secrets, or sets variables
 * before a command.
 */
function unitsOf(call: ToolCall, effects: Effects): readonly ToolCall[] | undefined {
  if (effects.unclear !== undefined && effects.shows !== 'changes') return undefined;
  const units = everyUnit(call, effects);
  return units.some(({ parameters }) => parameters.env !== undefined) ? undefined : units;
}

/** Returns all units that a rule may match, even for a call that no rule can allow. */
function everyUnit(call: ToolCall, { parts, carrier, unclear, shows }: Effects): readonly ToolCall[] {
  const { upstream } = call;
  const placed = parts.map((part) => ({ ...(upstream !== undefined && { upstream }), ...part }));
  const alone = !carrier || parts.length === 0 || (unclear !== undefined && shows === undefined);
  return alone ? [call, ...placed] : placed;
}
