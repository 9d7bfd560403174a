/**
 * Which calls match some rules and none of others: the question behind analysis and diff. A set of calls is a box (a
 * language for each field, conditions on the parameters); taking a rule away splits a box into smaller ones.
 */
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { CompiledRule } from './compile.ts';
import { anyText, type Constraint, constrain, FieldLanguages } from './field-languages.ts';
import type { StateBudget } from './language.ts';
import { normalName, normalText } from './normal-form.ts';
import { type Need, needOf, solveParameters } from './parameter-solver.ts';
import { TextSolver } from './text-solver.ts';

const fields = ['protocol', 'tool', 'capability', 'target'] as const;
type Field = (typeof fields)[number];

/** One condition of a rule. */
type Condition = { readonly field: Field; readonly id: number } | { readonly argument: number };

interface Box {
  readonly constraints: Readonly<Record<Field, Constraint>>;
  /** Ids of needs, sorted: `id` as it stands, `~id` negated. */
  readonly needs: Constraint;
}

const everyCall: Box = {
  constraints: { protocol: anyText, tool: anyText, capability: anyText, target: anyText },
  needs: [],
};

export class Reach {
  private readonly budget: StateBudget;
  private readonly languages: Readonly<Record<Field, FieldLanguages>>;
  private readonly texts: TextSolver;
  private readonly conditions = new Map<CompiledRule, readonly Condition[]>();
  private readonly needs: { readonly as: Need; readonly not: Need }[] = [];
  private readonly needIds = new Map<string, number>();
  private readonly solved = new Map<string, Record<string, unknown> | undefined>();

  /** @param rules every rule that will be asked about. */
  constructor(rules: readonly CompiledRule[], budget: StateBudget) {
    this.budget = budget;
    this.languages = {
      protocol: new FieldLanguages(normalName(), budget),
      tool: new FieldLanguages(normalName(), budget),
      capability: new FieldLanguages(normalName(), budget),
      target: new FieldLanguages(normalText(false), budget),
    };
    for (const rule of rules) this.conditions.set(rule, this.conditionsOf(rule));
    this.texts = new TextSolver(
      this.needs.map(({ as }) => as.predicate),
      budget,
    );
  }

  /** Whether two rules ask exactly the same. */
  same(a: CompiledRule, b: CompiledRule): boolean {
    return JSON.stringify(this.conditions.get(a)) === JSON.stringify(this.conditions.get(b));
  }

  /**
   * A call that matches all of `within` and none of `without`; the shortest one if asked for.
   * @throws BudgetSpent, Unsolved
   */
  find(within: readonly CompiledRule[], without: readonly CompiledRule[], shortest: boolean): ToolCall | undefined {
    const first = within
      .flatMap((rule) => this.conditions.get(rule)!)
      .reduce((box, one) => narrow(box, one, false), everyCall);
    const size = this.sizeOf(first);
    const open = size === undefined ? [] : [{ box: first, at: 0, size }];
    while (open.length > 0) {
      const { box, at } = takeNext(open, shortest);
      this.budget.spend();
      const next = this.nextOverlap(box, without, at);
      if (next === undefined) return this.callOf(box);
      for (const part of this.split(box, without[next]!)) open.push({ ...part, at: next + 1 });
    }
    return undefined;
  }

  /** Whether some call matches both rules. */
  overlap(a: CompiledRule, b: CompiledRule): boolean {
    return this.find([a, b], [], false) !== undefined;
  }

  private nextOverlap(box: Box, without: readonly CompiledRule[], from: number): number | undefined {
    for (let i = from; i < without.length; i++) if (this.meets(box, without[i]!)) return i;
    return undefined;
  }

  private meets(box: Box, rule: CompiledRule): boolean {
    let both = box;
    for (const condition of this.conditions.get(rule)!) {
      both = narrow(both, condition, false);
      if ('field' in condition && this.example(both, condition.field) === undefined) return false;
    }
    return both.needs === box.needs || this.parameters(both) !== undefined;
  }

  /** What is left of a box without a rule: disjoint parts, one for each condition that may fail first. */
  private split(box: Box, rule: CompiledRule): { box: Box; size: number }[] {
    const parts: { box: Box; size: number }[] = [];
    let rest = box;
    for (const condition of this.conditions.get(rule)!) {
      const part = narrow(rest, condition, true);
      const size = this.sizeOf(part);
      if (size !== undefined) parts.push({ box: part, size });
      rest = narrow(rest, condition, false);
    }
    return parts;
  }

  /** Length of the shortest call of a box; nothing when it is empty. */
  private sizeOf(box: Box): number | undefined {
    let size = 0;
    for (const field of fields) {
      const text = this.example(box, field);
      if (text === undefined) return undefined;
      size += text.length;
    }
    const parameters = this.parameters(box);
    return parameters && size + JSON.stringify(parameters).length;
  }

  private callOf(box: Box): ToolCall {
    const text = (field: Field): string => this.example(box, field)!;
    return {
      protocol: text('protocol'),
      tool: text('tool'),
      target: text('target'),
      capability: text('capability'),
      parameters: this.parameters(box)!,
    };
  }

  private example(box: Box, field: Field): string | undefined {
    return this.languages[field].example(box.constraints[field]);
  }

  private parameters(box: Box): Record<string, unknown> | undefined {
    const key = box.needs.join();
    if (this.solved.has(key)) return this.solved.get(key);
    const needs = box.needs.map((id) => (id >= 0 ? this.needs[id]!.as : this.needs[~id]!.not));
    const parameters = solveParameters(needs, this.texts);
    this.solved.set(key, parameters);
    return parameters;
  }

  private conditionsOf(rule: CompiledRule): Condition[] {
    const named = fields.flatMap((field): Condition[] => {
      const glob = rule[field];
      return glob ? [{ field, id: this.languages[field].add(glob) }] : [];
    });
    const onArguments = rule.arguments.map((argument): Condition => {
      const key = JSON.stringify([argument.path.source, argument.predicate.source]);
      const id =
        this.needIds.get(key) ?? this.needs.push({ as: needOf(argument, false), not: needOf(argument, true) }) - 1;
      this.needIds.set(key, id);
      return { argument: id };
    });
    return [...named, ...onArguments];
  }
}

function narrow(box: Box, condition: Condition, negated: boolean): Box {
  if ('argument' in condition) {
    const needs = constrain(box.needs, negated ? ~condition.argument : condition.argument);
    return needs === box.needs ? box : { ...box, needs };
  }
  const { field, id } = condition;
  const constraint = constrain(box.constraints[field], negated ? ~id : id);
  return { ...box, constraints: { ...box.constraints, [field]: constraint } };
}

/** Depth first is enough for "is there one"; the shortest needs the smallest open box first. */
function takeNext<T extends { size: number; at: number }>(open: T[], shortest: boolean): T {
  if (!shortest) return open.pop()!;
  let best = 0;
  open.forEach((one, i) => {
    const leader = open[best]!;
    if (one.size < leader.size || (one.size === leader.size && one.at > leader.at)) best = i;
  });
  return open.splice(best, 1)[0]!;
}
