/** Why a call was decided as it was: each rule up to the match, and the first condition that failed (spec §4.5 `why`). */
import type { Decision, ToolCall } from '#core/contracts/envelope.ts';
import type { CompiledPolicy, CompiledRule } from './compile.ts';
import { argumentHolds, worstReading } from './decide.ts';
import type { NormalCall } from './normalise.ts';

export interface RuleTrace {
  readonly index: number;
  /** `<protocol>:<tool-pattern>`. */
  readonly rule: string;
  readonly decision: Decision;
  readonly matched: boolean;
  /** `found` is in normal form: what the rule was compared with. */
  readonly failed?: { readonly field: string; readonly expected: string; readonly found: string };
}

/** @throws Error when the call cannot be read; `decide` blocks such a call and says why. */
export function explain(policy: CompiledPolicy, call: ToolCall): RuleTrace[] {
  const reading = worstReading(policy, call);
  const traces: RuleTrace[] = [];
  for (const rule of policy.rules) {
    const failed = firstFailure(rule, reading);
    const { index, name } = rule;
    traces.push({ index, rule: name, decision: rule.rule.decision, matched: !failed, ...(failed && { failed }) });
    if (!failed) break;
  }
  return traces;
}

/** The first condition of a rule a call does not meet. */
export function firstFailure(rule: CompiledRule, call: NormalCall): RuleTrace['failed'] {
  for (const field of ['protocol', 'tool', 'target', 'capability'] as const) {
    const glob = rule[field];
    if (glob && !glob.matches(call[field])) return { field, expected: glob.source, found: call[field] };
  }
  const argument = rule.arguments.find((condition) => !argumentHolds(condition, call));
  if (!argument) return undefined;
  return {
    field: `arguments.${argument.path.source}`,
    expected: JSON.stringify(argument.predicate.source),
    found: show(call.parameters),
  };
}

const show = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
};
