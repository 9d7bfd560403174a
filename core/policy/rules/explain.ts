/** Explains a decision by listing each guard and each rule up to the match, with the first condition that failed. */
import type { ruleTraceSchema } from '#core/contracts/answers/policies.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { Shape } from '#core/contracts/shape.ts';
import { holdsInCall } from './argument-path.ts';
import type { CompiledArgument, CompiledPolicy, CompiledRule } from './compile.ts';
import { argumentState, worstReading } from './decide.ts';
import type { NormalCall } from './normalise.ts';

export type RuleTrace = Shape<typeof ruleTraceSchema>;

/**
 * Traces the policy's rules, then those of each level.
 * @throws Error if the call cannot be read; `decide` blocks such a call and reports the reason.
 */
export const explain = (policy: CompiledPolicy, call: ToolCall): RuleTrace[] =>
  [policy, ...(policy.levels ?? [])].flatMap((each) => explainOne(each, call));

function explainOne(policy: CompiledPolicy, call: ToolCall): RuleTrace[] {
  const reading = worstReading(policy, call);
  const traces: RuleTrace[] = [];
  for (const [name, guards] of guardsByName(policy)) {
    const matched = guards.some((guard) => !firstFailure(guard, reading));
    traces.push({ index: guards[0]!.index, rule: name, decision: 'block', matched });
    if (matched) return traces;
  }
  for (const rule of policy.rules) {
    const failed = firstFailure(rule, reading);
    const { index, name } = rule;
    const named = rule.rule.name !== undefined && { name: rule.rule.name };
    traces.push({
      index,
      rule: name,
      ...named,
      decision: rule.rule.decision,
      matched: !failed,
      ...(failed && { failed }),
    });
    // If a condition is unclear, later rules do not explain the decision.
    if (!failed || failed.found === notTraced) break;
  }
  return traces;
}

/** Groups the guards by name, in order. */
function guardsByName({ guards }: CompiledPolicy): Map<string, CompiledRule[]> {
  const byName = new Map<string, CompiledRule[]>();
  for (const guard of guards) byName.set(guard.name, [...(byName.get(guard.name) ?? []), guard]);
  return byName;
}

/** Returns the first condition of a rule that a call does not meet. */
function firstFailure(rule: CompiledRule, call: NormalCall): RuleTrace['failed'] {
  if (rule.contents && call.names_only)
    return { field: 'target', expected: 'contents of files', found: 'names and sizes' };
  for (const field of ['protocol', 'tool', 'upstream', 'target', 'capability'] as const) {
    const glob = rule[field];
    if (glob && !glob.matches(call[field])) return { field, expected: glob.source, found: call[field] };
  }
  const states = rule.arguments.map((condition) => argumentState(condition, call));
  const at = states.includes('no') ? states.indexOf('no') : states.indexOf('unclear');
  const argument = rule.arguments[at];
  if (!argument) return undefined;
  const { path, predicate } = argument;
  if (states[at] === 'unclear')
    return { field: `arguments.${path.source}`, expected: valueText(predicate.source), found: notTraced };
  return {
    field: `arguments.${argument.path.source}`,
    expected: valueText(argument.predicate.source),
    found: valueText(valuesAt(argument, call)),
  };
}

/**
 * Text for a recorded call, which is not traced again because the values that its session had seen are no longer
 * available.
 */
const notTraced = 'a source that can no longer be traced; the evidence entry names the recorded one';

/** Returns the values at the path: undefined if there are none, the only value, or a list. */
function valuesAt({ path }: CompiledArgument, call: NormalCall): unknown {
  const values: unknown[] = [];
  holdsInCall(path, call, (value) => {
    if (value !== undefined) values.push(value);
    return path.quantifier === 'every';
  });
  return values.length > 1 ? values : values[0];
}

const valueText = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'absent';
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
};
