/** The active rules, grouped by name or reason, with the number of decisions each one made [console.policies]. */
import type { AnswerOf } from '#core/operations/endpoints.ts';

type Policies = AnswerOf<'listPolicies'>;
export type Rule = Policies['rules'][number];
type GuardEntry = Policies['guards'][number];

export interface ListedRule {
  readonly rule: Rule;
  /** Position in the order, from 1. */
  readonly number: number;
  /** Place as file:line; absent if the version was not loaded from a file. */
  readonly place?: string;
  /** Number of decisions in the counted period; absent if unknown. */
  readonly decided?: number;
}

/** Consecutive rules with the same decision and the same name or reason. */
export interface RuleGroup {
  readonly title: string;
  readonly decision: Rule['decision'];
  /** Present unless the title already gives the reason. */
  readonly reason?: string;
  readonly rules: readonly ListedRule[];
  readonly decided?: number;
}

export interface ListedGuard {
  readonly name: string;
  readonly reasons: readonly string[];
  readonly place?: string;
  readonly decided?: number;
}

type Counts = Readonly<Record<string, number>>;

interface RuleFacts {
  /** Number of calls by rule digest, `guard:<name>` and `default`; undefined until they are loaded. */
  readonly counts: Counts | undefined;
  readonly digestOf: (rule: Rule) => string;
  readonly places: { readonly rules: readonly string[]; readonly guards: Readonly<Record<string, string>> } | undefined;
}

export function groupsOf(rules: readonly Rule[], { counts, digestOf, places }: RuleFacts): readonly RuleGroup[] {
  const groups: (RuleGroup & { rules: ListedRule[] })[] = [];
  rules.forEach((rule, at) => {
    const place = places?.rules[at];
    const listed: ListedRule = {
      rule,
      number: at + 1,
      ...(place !== undefined && { place }),
      ...(counts && { decided: counts[digestOf(rule)] ?? 0 }),
    };
    const last = groups.at(-1);
    const title = titleOf(rule);
    if (last?.title === title && last.decision === rule.decision && last.reason === reasonBeside(rule))
      last.rules.push(listed);
    else {
      const reason = reasonBeside(rule);
      groups.push({ title, decision: rule.decision, ...(reason !== undefined && { reason }), rules: [listed] });
    }
  });
  return groups.map((group) => ({ ...group, ...(counts && { decided: sumOf(group.rules) }) }));
}

const sumOf = (rules: readonly ListedRule[]): number => rules.reduce((sum, { decided = 0 }) => sum + decided, 0);

const reasonBeside = ({ name, reason }: Rule): string | undefined => (name === undefined ? undefined : reason);

const titleOf = (rule: Rule): string => rule.name ?? rule.reason ?? callsOf(rule);

/** Describes briefly which calls a rule matches: its own patterns, shortened. */
function callsOf({ protocol = '*', tool = '*', target, upstream, capability }: Rule): string {
  const words = [
    protocol === '*' ? 'any protocol' : protocol,
    tool === '*' ? 'any tool' : shortPattern(tool),
    ...(upstream === undefined ? [] : [`of ${shortPattern(upstream)}`]),
    ...(target === undefined ? [] : [`on ${shortPattern(target)}`]),
    ...(capability === undefined ? [] : [`(${capability.replace(/^\{|\}$/g, '').replaceAll(',', ', ')})`]),
  ];
  return words.join(' ');
}

const longest = 60;
const maxMembers = 2;

/** Shortens a glob: keeps the first few alternatives of long brace lists. */
export function shortPattern(glob: string): string {
  if (glob.length <= longest) return glob;
  const short = glob.replace(/\{([^{}]{24,})\}/g, (whole, list: string) => {
    const members = list.split(',');
    return members.length <= maxMembers ? whole : `{${members.slice(0, maxMembers).join(',')},…}`;
  });
  return short.length <= longest ? short : `${short.slice(0, longest - 1)}…`;
}

/**
 * Returns the guards; several entries with the same name count as one guard. @param reasonsOf returns the reasons of a
 * catalog guard
 */
export function guardsOf(
  guards: readonly GuardEntry[],
  { counts, places }: Omit<RuleFacts, 'digestOf'>,
  reasonsOf: (name: string) => readonly string[],
): readonly ListedGuard[] {
  const byName = Map.groupBy(guards, (guard) => (typeof guard === 'string' ? guard : guard.name));
  return [...byName].map(([name, entries]) => {
    const reasons = entries.flatMap((entry) => (typeof entry === 'string' ? reasonsOf(entry) : [entry.reason]));
    const place = places?.guards[name];
    return {
      name,
      reasons: [...new Set(reasons)],
      ...(place !== undefined && { place }),
      ...(counts && { decided: counts[`guard:${name}`] ?? 0 }),
    };
  });
}

export interface Search {
  readonly text: string;
  /** Decision to show; empty for all. */
  readonly decision: string;
  /** Keeps only guards and rules that made no decision in the counted period. */
  readonly unused: boolean;
}

/** Keeps the groups and rules that match the search. */
export function matchingGroups(groups: readonly RuleGroup[], search: Search): readonly RuleGroup[] {
  return groups.flatMap((group) => {
    if (search.decision !== '' && group.decision !== search.decision) return [];
    const inTitle = containsWords([group.title, group.reason ?? ''], search.text);
    const rules = group.rules.filter(
      ({ rule, place, decided }) =>
        (inTitle || containsWords([JSON.stringify(rule), place ?? ''], search.text)) &&
        (!search.unused || decided === 0),
    );
    return rules.length === 0
      ? []
      : [{ ...group, rules, ...(group.decided !== undefined && { decided: sumOf(rules) }) }];
  });
}

export const guardsFound = (
  guards: readonly ListedGuard[],
  { text, decision, unused }: Search,
): readonly ListedGuard[] =>
  decision !== '' && decision !== 'block'
    ? []
    : guards.filter(
        ({ name, reasons, decided }) => containsWords([name, ...reasons], text) && (!unused || decided === 0),
      );

/** Checks that each word of the search occurs in at least one of the strings. */
function containsWords(texts: readonly string[], search: string): boolean {
  const all = texts.join(' ').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}
