/** Turns a policy document into what decides fast: globs compiled, rules indexed by protocol and tool. */
import type { Decision } from '#core/contracts/envelope.ts';
import type { ToolPolicyDocument, ToolRule } from '#core/contracts/tool-policy.ts';
import { asGatewayError, GatewayError } from '#core/kernel/errors.ts';
import { parsePath } from './argument-path.ts';
import type { CompiledRule } from './compiled-rule.ts';
import { compileGlob, type Glob, type GlobKind, matchesAll } from './glob.ts';
import { compilePredicate } from './predicate.ts';
import { RuleIndex } from './rule-index.ts';

export type { CompiledArgument, CompiledRule } from './compiled-rule.ts';

export interface CompiledPolicy {
  readonly name: string;
  readonly defaultDecision: Decision;
  readonly rules: readonly CompiledRule[];
  readonly index: RuleIndex;
  /** Whether any rule looks into `parameters`. */
  readonly readsParameters: boolean;
}

/** @throws GatewayError `invalid_request` naming the rule, the field, what was found and what is allowed. */
export function compilePolicy(document: ToolPolicyDocument): CompiledPolicy {
  const rules = document.rules.map(compileRule);
  return {
    name: document.name,
    defaultDecision: document.default_decision,
    rules,
    index: new RuleIndex(rules),
    readsParameters: rules.some((rule) => rule.arguments.length > 0),
  };
}

export const ruleName = (rule: Pick<ToolRule, 'protocol' | 'tool'>): string =>
  `${rule.protocol || '*'}:${rule.tool || '*'}`;

function compileRule(rule: ToolRule, index: number): CompiledRule {
  const field = (
    name: 'protocol' | 'tool' | 'upstream' | 'target' | 'capability',
    kind: GlobKind,
  ): Glob | undefined => {
    const pattern = rule[name];
    if (pattern === undefined || matchesAll(pattern)) return undefined;
    return locate(`rules[${index}].${name}`, () => compileGlob(pattern, kind));
  };
  return {
    index,
    rule,
    name: ruleName(rule),
    protocol: field('protocol', 'name'),
    tool: field('tool', 'name'),
    upstream: field('upstream', 'name'),
    target: field('target', 'text'),
    capability: field('capability', 'name'),
    arguments: Object.entries(rule.arguments ?? {}).map(([path, predicate]) =>
      locate(`rules[${index}].arguments["${path}"]`, () => ({
        path: parsePath(path),
        predicate: compilePredicate(predicate),
      })),
    ),
  };
}

function locate<T>(where: string, compile: () => T): T {
  try {
    return compile();
  } catch (thrown) {
    const { code, message } = asGatewayError(thrown);
    throw new GatewayError(code, `${where}: ${message}`, { cause: thrown });
  }
}
