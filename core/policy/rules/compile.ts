/** Compiles a policy document for fast evaluation: compiles globs and indexes rules by protocol and tool. */
import { catalogGuard } from '#core/catalog/guards.ts';
import type { Decision } from '#core/contracts/envelope.ts';
import type { GuardEntry, LevelPolicy, ToolGuard, ToolPolicyDocument, ToolRule } from '#core/contracts/tool-policy.ts';
import { asGatewayError, GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import { compileGlob, type Glob, type GlobKind, matchesAll } from '#core/text/matching/glob.ts';
import { pathGlob, pathSieve } from '#core/text/matching/path-pattern.ts';
import { type ArgumentPath, parsePath, textsAt } from './argument-path.ts';
import type { CompiledRule } from './compiled-rule.ts';
import type { Places } from './parameter-places.ts';
import { compilePredicate, globPredicate } from './predicate.ts';
import { RuleIndex } from './rule-index.ts';

export type { CompiledArgument, CompiledRule } from './compiled-rule.ts';

export interface CompiledPolicy {
  readonly name: string;
  readonly defaultDecision: Decision;
  /** Block rules that are checked before any other rule. */
  readonly guards: readonly CompiledRule[];
  readonly rules: readonly CompiledRule[];
  readonly index: RuleIndex;
  /** True if any rule has a condition on `parameters`. */
  readonly readsParameters: boolean;
  /** True if any rule, including those of levels, has a condition on the source of a value. */
  readonly readsSources: boolean;
  /** Policies of the levels above the tenant. They can only make decisions stricter. */
  readonly levels?: readonly CompiledPolicy[];
}

/**
 * Compiles a policy document.
 * @throws GatewayError `invalid_request` that states the rule, the field, what was found and what is allowed.
 */
export function compilePolicy(document: ToolPolicyDocument): CompiledPolicy {
  const rules = document.rules.map((rule, index) => compileRule(rule, index, `rules[${index}]`));
  const entries = (document.guards ?? []).map((guard, i) => locate(`guards[${i}]`, () => guardsOf(guard)));
  const sieves = sievesOf(entries.flat());
  const guards = entries.flatMap((named, i) =>
    locate(`guards[${i}]`, () => named.flatMap((guard) => rulesOfGuard(guard, sieves))),
  );
  const policy = policyOf(document.name, document.default_decision, guards.map(withGuardIndex), rules);
  const levels = document.levels?.map(compileLevel);
  if (levels === undefined || levels.length === 0) return policy;
  return { ...policy, levels, readsSources: policy.readsSources || levels.some((level) => level.readsSources) };
}

/** Compiles a level, which allows calls that its rules do not match. `matched_rule` names the level and the rule. */
function compileLevel({ path, rules }: LevelPolicy): CompiledPolicy {
  const named = rules.map((rule, index) => {
    const compiled = compileRule(rule, index, `${path}: rules[${index}]`);
    return { ...compiled, name: `${levelPrefix}${path}:${compiled.name}` };
  });
  return policyOf(path, 'allow', [], named);
}

/** Prefix of `matched_rule` for rules of a level. */
export const levelPrefix = 'level:';

/** Returns the policy made up of compiled guards and rules, with the guards first. */
export function policyOf(
  name: string,
  defaultDecision: Decision,
  guards: readonly CompiledRule[],
  rules: readonly CompiledRule[],
): CompiledPolicy {
  const all = [...guards, ...rules];
  return {
    name,
    defaultDecision,
    guards,
    rules,
    index: new RuleIndex(all),
    readsParameters: all.some((rule) => rule.arguments.length > 0),
    readsSources: all.some(hasSourceCondition),
  };
}

export const hasSourceCondition = ({ arguments: conditions }: CompiledRule): boolean =>
  conditions.some(({ predicate }) => predicate.origin !== undefined);

const withGuardIndex = (guard: CompiledRule, at: number, { length }: readonly CompiledRule[]): CompiledRule => ({
  ...guard,
  index: at - length,
});

export const ruleName = (rule: Pick<ToolRule, 'protocol' | 'tool'>): string =>
  `${rule.protocol || '*'}:${rule.tool || '*'}`;

function compileRule(rule: ToolRule, index: number, where: string): CompiledRule {
  const field = (
    name: 'protocol' | 'tool' | 'upstream' | 'target' | 'capability',
    kind: GlobKind,
  ): Glob | undefined => {
    const pattern = rule[name];
    if (pattern === undefined || matchesAll(pattern)) return undefined;
    return locate(`${where}.${name}`, () => compileGlob(pattern, kind));
  };
  if (rule.approval?.together && rule.decision !== 'review')
    throw invalidRequest(
      `${where}.approval.together: found true in a rule with the decision ${rule.decision}; it is allowed only in rules with the decision review.`,
    );
  return {
    index,
    rule,
    name: ruleName(rule),
    protocol: field('protocol', 'name'),
    tool: field('tool', 'name'),
    upstream: field('upstream', 'name'),
    target: field('target', namesRepositories(rule) ? 'any-case' : 'text'),
    capability: field('capability', 'name'),
    arguments: Object.entries(rule.arguments ?? {}).map(([path, predicate]) =>
      locate(`${where}.arguments["${path}"]`, () => {
        const parsed = parsePath(path);
        return { path: parsed, predicate: compilePredicate(predicate, namesPaths(rule, parsed) ? 'any-case' : 'text') };
      }),
    ),
  };
}

/**
 * Checks for a rule that blocks or reviews paths by name. Such a rule ignores case, because laptop file systems treat
 * `Node_Modules` and `node_modules` as the same folder [policy.case-folding].
 */
const namesPaths = ({ decision }: ToolRule, { anywhere }: ArgumentPath): boolean =>
  decision !== 'allow' && anywhere !== undefined && anywhere !== 'all';

/**
 * Checks for a rule that blocks or reviews Git calls. Its target ignores case, because Git hosts treat `Acme/Web` and
 * `acme/web` as the same repository. A rule that allows is case-sensitive [policy.case-folding].
 */
const namesRepositories = ({ protocol, decision }: ToolRule): boolean =>
  protocol?.trim().toLowerCase() === 'git' && decision !== 'allow';

/** Returns the catalog's guards with this name, or the guard that the pack itself defines. */
const guardsOf = (guard: GuardEntry): readonly ToolGuard[] =>
  typeof guard === 'string' ? catalogGuard(guard) : [guard];

/** Quick tests that rule out that a guard's path occurs in a string, either among its words or as the whole string. */
interface Sieves {
  readonly word: (text: string) => boolean;
  readonly whole: (text: string) => boolean;
}

function sievesOf(guards: readonly ToolGuard[]): Sieves {
  const patterns = guards.flatMap(({ paths, except = [] }) =>
    paths === undefined ? [] : [{ globs: paths, except, wholePath: false }],
  );
  if (patterns.length < 2) return { word: () => true, whole: () => true };
  return { word: pathSieve(patterns, false), whole: pathSieve(patterns, true) };
}

const withPrefilter = (glob: Glob, mayMatch: (text: string) => boolean): Glob => ({
  ...glob,
  matches: (text) => mayMatch(text) && glob.matches(text),
});

/** Compiles a guard into one rule for each place where a call may contain a path. */
function rulesOfGuard(guard: ToolGuard, sieves: Sieves): CompiledRule[] {
  const { name, protocols = ['*'], paths, except = [], contents, ...conditions } = guard;
  return protocols.flatMap((protocol) => {
    const rule: ToolRule = { ...conditions, protocol, tool: conditions.tool ?? '*', decision: 'block' };
    const base = { ...compileRule(rule, 0, name), name: `guard:${name}`, ...(contents && { contents }) };
    if (paths === undefined) return [base];
    const word = withPrefilter(pathGlob({ globs: paths, except, wholePath: false }), sieves.word);
    const whole = withPrefilter(pathGlob({ globs: paths, except, wholePath: true }), sieves.whole);
    const inTexts = (places: Places, glob: Glob): CompiledRule => ({
      ...base,
      arguments: [...base.arguments, { path: textsAt(places), predicate: globPredicate(glob) }],
    });
    const anywhere = [{ ...base, target: word }, inTexts('path-named', word), inTexts('not-text', whole)];
    return protocol === 'shell' ? [{ ...base, target: word }, inTexts('all', word)] : anywhere;
  });
}

function locate<T>(where: string, compile: () => T): T {
  try {
    return compile();
  } catch (thrown) {
    const { code, message } = asGatewayError(thrown);
    throw new GatewayError(code, `${where}: ${message}`, { cause: thrown });
  }
}
