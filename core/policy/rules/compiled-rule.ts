/** A compiled rule, shared by the index, the engine and the analysis. */
import type { ToolRule } from '#core/contracts/tool-policy.ts';
import type { Glob } from '#core/text/matching/glob.ts';
import type { ArgumentPath } from './argument-path.ts';
import type { Predicate } from './predicate.ts';

export interface CompiledArgument {
  readonly path: ArgumentPath;
  readonly predicate: Predicate;
}

/** A compiled rule. An undefined field imposes no condition. */
export interface CompiledRule {
  /** Index among the rules; negative for a guard, which precedes all rules. */
  readonly index: number;
  readonly rule: ToolRule;
  /** The `matched_rule` in its decisions: `<protocol>:<tool-pattern>`, or `guard:<name>`. */
  readonly name: string;
  readonly protocol: Glob | undefined;
  readonly tool: Glob | undefined;
  readonly upstream: Glob | undefined;
  readonly target: Glob | undefined;
  readonly capability: Glob | undefined;
  readonly arguments: readonly CompiledArgument[];
  /** Set if the guard protects contents only, so that it does not match an effect that reveals just names and sizes. */
  readonly contents?: true;
}
