/** Kinds of recorded calls and the rules they become. */
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { ArgumentPredicate, ToolPack, ToolRule } from '#core/contracts/tool-policy.ts';
import type { CompiledPolicy } from '#core/policy/rules/compile.ts';
import { decide } from '#core/policy/rules/decide.ts';
import { escapeGlob, patternsOf } from './targets.ts';

/** Parts of the active policy that the proposal keeps: guards, blocking rules, and a default of block. */
export type KeptPolicy = Pick<ToolPack, 'guards' | 'rules' | 'default_decision'>;

/** Calls of one kind, which become one rule with several targets. */
export interface Group {
  readonly units: readonly ToolCall[];
  /** `general` rules cover the files of a folder; `exact` rules cover only recorded targets. */
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
    description: 'Allows the calls that were allowed in recorded traffic; all other calls need approval.',
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
    protocol: escapeGlob(protocol),
    tool: escapeGlob(tool),
    ...(upstream !== undefined && { upstream: escapeGlob(upstream) }),
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

/** Returns the group of each proposed rule in a pack. Kept rules have no group. */
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

/** Returns the group whose rule determines the decision on a unit. */
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

type Conditions = Record<string, ArgumentPredicate>;

/**
 * Maximum number of values that a rule lists for a parameter. More values, or longer ones, are treated as free text
 * with a maximum length.
 */
const maxValues = 8;
const shortWord = 64;

/** Checks that a name contains no parameter path syntax. */
const isPlain = (name: string): boolean => /^[A-Za-z_][\w-]*$/.test(name);

/**
 * Returns the conditions of a rule.
 * @param seen calls that the rule must cover.
 * @param targets the rule's target globs: a parameter that repeats the target must match them as well.
 * @param others names of parameters that occur in other calls to the tool and that the rule does not allow.
 */
function conditionsOf(calls: readonly ToolCall[], targets: readonly string[], others: readonly string[]): Conditions {
  const [first] = calls;
  const seen = calls.map(({ parameters }) => parameters);
  if (first?.protocol === 'shell' && Array.isArray(first.parameters.argv)) return shellConditions(seen);
  const names = new Set(seen.flatMap(Object.keys));
  const conditions: Conditions = {};
  for (const name of others) if (!names.has(name) && isPlain(name)) conditions[name] = { absent: true };
  for (const name of names) {
    if (!isPlain(name)) continue;
    const having = calls.filter(({ parameters }) => Object.hasOwn(parameters, name));
    const values = having.map(({ parameters }) => parameters[name]);
    const repeats = having.every(({ parameters, target }) => parameters[name] === target);
    const predicate = repeats ? { glob: [...targets] } : predicateOf(values, first?.capability === 'read');
    if (predicate) conditions[name] = { ...(values.length < seen.length && { absent: true }), ...predicate };
  }
  return conditions;
}

/**
 * Returns the condition on a parameter. A read accepts any text; a call that changes something is limited to the
 * recorded values.
 */
function predicateOf(values: readonly unknown[], reads: boolean): ArgumentPredicate | undefined {
  const scalars = values.filter((value) => ['string', 'number', 'boolean'].includes(typeof value)) as (
    | string
    | number
    | boolean
  )[];
  if (scalars.length < values.length) return undefined;
  const distinct = [...new Set(scalars)];
  const texts = distinct.filter((value) => typeof value === 'string');
  if (texts.length < distinct.length) return { in: distinct };
  if (reads) return undefined;
  const words =
    distinct.length <= maxValues && texts.every((text) => /^[\w.:@+-]*$/.test(text) && text.length <= shortWord);
  return words ? { in: distinct } : { max_length: 2 * Math.max(...texts.map(({ length }) => length)) };
}

/**
 * Returns the conditions on a command: only recorded options, and no variables before the command. The target covers
 * words without a leading dash.
 */
function shellConditions(seen: readonly ToolCall['parameters'][]): Conditions {
  const options = seen.flatMap(({ argv }) => (argv as string[]).slice(1).filter((word) => word.startsWith('-')));
  const shows = seen.find((each) => each.shows !== undefined)?.shows;
  return {
    argv: { absent: false },
    'argv[*]': { glob: ['[!-]**', ...[...new Set(options)].sort().map(escapeGlob)] },
    ...Object.fromEntries(['env', 'command', 'cmd', 'script', 'shell'].map((name) => [name, { absent: true }])),
    cwd: cwdOf(seen),
    ...(typeof shows === 'string' && { shows: { equals: shows } }),
  };
}

function cwdOf(seen: readonly ToolCall['parameters'][]): ArgumentPredicate {
  const folders = [...new Set(seen.flatMap(({ cwd }) => (typeof cwd === 'string' ? [cwd] : [])))].sort();
  const absent = seen.some(({ cwd }) => cwd === undefined);
  return { ...(absent && { absent: true }), ...(folders.length > 0 && { in: folders }) };
}
