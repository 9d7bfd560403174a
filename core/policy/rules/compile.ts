/** Turns a policy document into what decides fast: globs compiled, rules indexed by protocol and tool. */
import { catalogGuard } from '#core/catalog/guards.ts';
import type { Decision } from '#core/contracts/envelope.ts';
import type { GuardEntry, LevelPolicy, ToolGuard, ToolPolicyDocument, ToolRule } from '#core/contracts/tool-policy.ts';
import { asGatewayError, GatewayError } from '#core/kernel/errors.ts';
import { compileGlob, type Glob, type GlobKind, matchesAll } from '#core/text/matching/glob.ts';
import { pathGlob } from '#core/text/matching/path-pattern.ts';
import { type ArgumentPath, parsePath, textsAt } from './argument-path.ts';
import type { CompiledRule } from './compiled-rule.ts';
import type { Places } from './parameter-places.ts';
import { compilePredicate, globPredicate } from './predicate.ts';
import { RuleIndex } from './rule-index.ts';

export type { CompiledArgument, CompiledRule } from './compiled-rule.ts';

export interface CompiledPolicy {
  readonly name: string;
  readonly defaultDecision: Decision;
  /** Blocks that stand before every rule: combined to the worst, a block beside the first match decides. */
  readonly guards: readonly CompiledRule[];
  readonly rules: readonly CompiledRule[];
  readonly index: RuleIndex;
  /** Whether any rule looks into `parameters`. */
  readonly readsParameters: boolean;
  /** Whether any rule, of a level as well, asks where a value comes from. */
  readonly readsSources: boolean;
  /** Policies of the levels above the tenant; they only tighten the decisions of the rules. */
  readonly levels?: readonly CompiledPolicy[];
}

/** @throws GatewayError `invalid_request` naming the rule, the field, what was found and what is allowed. */
export function compilePolicy(document: ToolPolicyDocument): CompiledPolicy {
  const rules = document.rules.map((rule, index) => compileRule(rule, index, `rules[${index}]`));
  const guards = (document.guards ?? []).flatMap((guard, i) =>
    locate(`guards[${i}]`, () => guardsOf(guard).flatMap(rulesOfGuard)),
  );
  const policy = policyOf(document.name, document.default_decision, guards.map(numbered), rules);
  const levels = document.levels?.map(compileLevel);
  if (levels === undefined || levels.length === 0) return policy;
  return { ...policy, levels, readsSources: policy.readsSources || levels.some((level) => level.readsSources) };
}

/** A level says nothing of what its rules do not match. `matched_rule` names the level and the rule. */
function compileLevel({ path, rules }: LevelPolicy): CompiledPolicy {
  const named = rules.map((rule, index) => {
    const compiled = compileRule(rule, index, `${path}: rules[${index}]`);
    return { ...compiled, name: `${levelPrefix}${path}:${compiled.name}` };
  });
  return policyOf(path, 'allow', [], named);
}

/** How `matched_rule` of a rule of a level begins. */
export const levelPrefix = 'level:';

/** Compiled rules ready to decide; guards keep their place before the rules. */
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

const numbered = (guard: CompiledRule, at: number, { length }: readonly CompiledRule[]): CompiledRule => ({
  ...guard,
  index: at - length,
});

const ruleName = (rule: Pick<ToolRule, 'protocol' | 'tool'>): string => `${rule.protocol || '*'}:${rule.tool || '*'}`;

function compileRule(rule: ToolRule, index: number, where: string): CompiledRule {
  const field = (
    name: 'protocol' | 'tool' | 'upstream' | 'target' | 'capability',
    kind: GlobKind,
  ): Glob | undefined => {
    const pattern = rule[name];
    if (pattern === undefined || matchesAll(pattern)) return undefined;
    return locate(`${where}.${name}`, () => compileGlob(pattern, kind));
  };
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
 * File systems of laptops take `Node_Modules` and `node_modules` for one folder, so a rule that blocks or reviews paths by name does so
 * in any case [policy.paths-any-case].
 */
const namesPaths = ({ decision }: ToolRule, { anywhere }: ArgumentPath): boolean =>
  decision !== 'allow' && anywhere !== undefined && anywhere !== 'all';

/**
 * Git hosts take `Acme/Web` and `acme/web` for one repository, so what a rule for protocol git blocks or reviews it does in any
 * case; what it allows, it allows as written [policy.git-any-case].
 */
const namesRepositories = ({ protocol, decision }: ToolRule): boolean =>
  protocol?.trim().toLowerCase() === 'git' && decision !== 'allow';

/** A guard of the catalog, or one of the pack itself. */
const guardsOf = (guard: GuardEntry): readonly ToolGuard[] =>
  typeof guard === 'string' ? catalogGuard(guard) : [guard];

/** Every way in which a path may stand in a call is a rule of its own. */
function rulesOfGuard(guard: ToolGuard): CompiledRule[] {
  const { name, protocols = ['*'], paths, except = [], contents, ...conditions } = guard;
  return protocols.flatMap((protocol) => {
    const rule: ToolRule = { ...conditions, protocol, tool: conditions.tool ?? '*', decision: 'block' };
    const base = { ...compileRule(rule, 0, name), name: `guard:${name}`, ...(contents && { contents }) };
    if (paths === undefined) return [base];
    const word = pathGlob({ globs: paths, except, wholePath: false });
    const whole = pathGlob({ globs: paths, except, wholePath: true });
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
