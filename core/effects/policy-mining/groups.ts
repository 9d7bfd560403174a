/** Kinds of recorded calls and the rules they become. */
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { ToolPack, ToolRule } from '#core/contracts/tool-policy.ts';
import type { CompiledPolicy } from '#core/policy/rules/compile.ts';
import { decide } from '#core/policy/rules/decide.ts';
import { conditionsOf } from './conditions.ts';
import { escaped, patternsOf } from './targets.ts';

/** Parts of a policy in force that the proposal keeps: guards, blocking rules, and a default of block. */
export type KeptPolicy = Pick<ToolPack, 'guards' | 'rules' | 'default_decision'>;

/** Calls of one kind: one rule with several targets. */
export interface Group {
  readonly units: readonly ToolCall[];
  /** `general` rules cover the files of a folder; `exact` ones only recorded targets. */
  level: 'general' | 'exact' | 'none';
}

/** Names of all recorded parameters of a tool. */
export type NamesByTool = ReadonlyMap<string, readonly string[]>;

export function groupsOf(units: readonly ToolCall[]): Group[] {
  const groups = new Map<string, ToolCall[]>();
  for (const unit of units) {
    const { protocol, tool, capability, upstream, parameters } = unit;
    const key = JSON.stringify([protocol, tool, capability, upstream, parameters.shows]);
    const members = groups.get(key);
    if (members) members.push(unit);
    else groups.set(key, [unit]);
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, members]) => ({ units: members, level: 'general' }));
}

export function namesByTool(calls: readonly ToolCall[]): NamesByTool {
  const names = new Map<string, Set<string>>();
  for (const { tool, parameters } of calls)
    names.set(tool, new Set([...(names.get(tool) ?? []), ...Object.keys(parameters)]));
  return new Map([...names].map(([tool, found]) => [tool, [...found].sort()]));
}

export function packOf(
  groups: readonly Group[],
  names: NamesByTool,
  { guards, rules, default_decision }: KeptPolicy,
): ToolPack {
  return {
    name: 'mined',
    description: 'Allows what recorded traffic was allowed; everything else waits for a person.',
    default_decision: default_decision === 'block' ? 'block' : 'review',
    guards,
    rules: [...rules, ...groups.flatMap((group) => rulesOf(group, names))],
  };
}

function rulesOf({ units, level }: Group, names: NamesByTool): ToolRule[] {
  if (level === 'none') return [];
  const { protocol, tool, capability, upstream } = units[0]!;
  const targets = targetsOf({ units, level });
  const conditions = conditionsOf(units, targets, names.get(tool) ?? []);
  return targets.map((target) => ({
    protocol: escaped(protocol),
    tool: escaped(tool),
    ...(upstream !== undefined && { upstream: escaped(upstream) }),
    target,
    capability,
    ...(Object.keys(conditions).length > 0 && { arguments: conditions }),
    decision: 'allow' as const,
  }));
}

const targetsOf = ({ units, level }: Group): string[] =>
  level === 'none'
    ? []
    : patternsOf(
        units.map(({ target }) => target),
        level === 'general',
      );

/** Returns the group of each proposed rule of a pack. Kept rules have none. */
export function rulesByGroup(pack: ToolPack, groups: readonly Group[]): ReadonlyMap<ToolRule, Group> {
  const byRule = new Map<ToolRule, Group>();
  const proposed = pack.rules.filter(({ decision }) => decision === 'allow');
  let at = 0;
  for (const group of groups) {
    const count = targetsOf(group).length;
    for (const rule of proposed.slice(at, at + count)) byRule.set(rule, group);
    at += count;
  }
  return byRule;
}

/** Returns the group whose rule decides a unit. */
export function groupOf(
  policy: CompiledPolicy,
  pack: ToolPack,
  byRule: ReadonlyMap<ToolRule, Group>,
  unit: ToolCall,
): Group | undefined {
  const { rule_index } = decide(policy, unit);
  const rule = rule_index === undefined ? undefined : pack.rules[rule_index];
  return rule && byRule.get(rule);
}
