/**
 * Finds calls that match some rules and none of a set of others, for analysis and diff. A set of calls is a box, with a
 * language for each field and conditions on the parameters. Removing a rule splits a box into smaller ones.
 */
import { capabilities, type ToolCall } from '#core/contracts/envelope.ts';
import { compileGlob, literalGlob, walkerOf } from '#core/text/matching/glob.ts';
import { normalName } from '#core/text/matching/name-automaton.ts';
import { normalText } from '#core/text/matching/text-automaton.ts';
import { holdsAt } from '../argument-path.ts';
import type { CompiledArgument, CompiledRule } from '../compiled-rule.ts';
import { meetsPredicate } from '../predicate.ts';
import type { StateBudget } from './automaton-product.ts';
import { type CallConstraint, constraintOf } from './call-constraints.ts';
import { anyText, type Constraint, constrain, FieldLanguages } from './field-languages.ts';
import { solveParameters, UnsolvedError } from './parameter-solver.ts';
import { isEntangled, partedOf, type SourceAtom } from './source-atoms.ts';
import { TextSolver } from './text-solver.ts';

const fields = ['protocol', 'tool', 'upstream', 'capability', 'target'] as const;
type Field = (typeof fields)[number];

/** One condition of a rule. */
type Condition =
  | { readonly field: Field; readonly id: number }
  | { readonly argument: number }
  /** `present`: id of the requirement that some value is present. */
  | { readonly source: number; readonly present: number };

/** Calls with any other capability are refused before a policy decides. */
const anyCapability = compileGlob(`{${capabilities.join(',')}}`, 'name');

interface Box {
  readonly constraints: Readonly<Record<Field, Constraint>>;
  /** Sorted ids of parameter conditions: `id` must be true, `~id` must be false. */
  readonly needs: Constraint;
  /** Conditions on sources: `id` must be true, `~id` must be false. */
  readonly sources: Constraint;
}

const everyCall: Box = {
  constraints: { protocol: anyText, tool: anyText, upstream: anyText, capability: anyText, target: anyText },
  needs: [],
  sources: [],
};

export class Reach {
  readonly #budget: StateBudget;
  readonly #languages: Readonly<Record<Field, FieldLanguages>>;
  readonly #texts: TextSolver;
  readonly #conditions = new Map<CompiledRule, readonly Condition[]>();
  readonly #needs: {
    readonly argument: CompiledArgument;
    readonly as: CallConstraint;
    readonly not: CallConstraint;
  }[] = [];
  readonly #needIds = new Map<string, number>();
  readonly #atoms: SourceAtom[] = [];
  readonly #spellings = new Map<CompiledRule, string>();
  readonly #open = new Set<CompiledRule>();
  readonly #solved = new Map<string, Record<string, unknown> | undefined>();

  /** @param rules every rule that will be passed to the methods. */
  constructor(rules: readonly CompiledRule[], budget: StateBudget) {
    this.#budget = budget;
    this.#languages = {
      protocol: new FieldLanguages(normalName(), budget),
      tool: new FieldLanguages(normalName(), budget),
      upstream: new FieldLanguages(normalName(true), budget),
      capability: new FieldLanguages(walkerOf(anyCapability), budget),
      target: new FieldLanguages(normalText(false), budget),
    };
    for (const rule of rules) {
      this.#conditions.set(rule, this.#conditionsOf(rule));
      if (rule.arguments.some(isEntangled)) this.#open.add(rule);
    }
    this.#texts = new TextSolver(
      this.#needs.map(({ as }) => as.predicate),
      budget,
    );
  }

  /** Returns a rule that excludes one target, because the automata accept slightly more than normalisation yields. */
  otherThan(target: string): CompiledRule {
    const rule: CompiledRule = {
      index: -1,
      rule: { protocol: '*', tool: '*', decision: 'block' },
      name: '*:*',
      protocol: undefined,
      tool: undefined,
      upstream: undefined,
      target: literalGlob(target),
      capability: undefined,
      arguments: [],
    };
    this.#conditions.set(rule, this.#conditionsOf(rule));
    return rule;
  }

  /** Checks whether two rules have exactly the same conditions. */
  same(a: CompiledRule, b: CompiledRule): boolean {
    return this.#spellingOf(a) === this.#spellingOf(b);
  }

  /**
   * Returns a rule's conditions as text, because a diff compares every rule of one policy with every rule of the other.
   */
  #spellingOf(rule: CompiledRule): string {
    const known = this.#spellings.get(rule) ?? JSON.stringify(this.#conditions.get(rule));
    this.#spellings.set(rule, known);
    return known;
  }

  /**
   * Returns a call that matches all of `within` and none of `without`, or the shortest such call if requested.
   * @throws BudgetSpent, Unsolved
   */
  find(within: readonly CompiledRule[], without: readonly CompiledRule[], shortest: boolean): ToolCall | undefined {
    if (this.#open.size > 0 && [...within, ...without].some((rule) => this.#open.has(rule)))
      throw new UnsolvedError('a condition tests both the value and the source of an element');
    const asked = within.flatMap((rule) => this.#conditions.get(rule)!);
    const first = asked.reduce((box, condition) => narrow(box, condition, false), everyCall);
    const size = this.#sizeOf(first);
    const open = size === undefined ? [] : [{ box: first, depth: 0, size }];
    while (open.length > 0) {
      const { box, depth } = takeNext(open, shortest);
      this.#budget.spend();
      // The smallest call in the box is the result, unless a rule takes it. In that case, the rule is removed from the
      // box.
      const call = this.#callOf(box);
      const taker = without.find((rule) => this.#matches(rule, call, box));
      if (!taker) return this.#atoms.length > 0 ? { ...call, assumed: this.#assumedIn(box) } : call;
      for (const part of this.#split(box, taker)) open.push({ ...part, depth: depth + 1 });
    }
    return undefined;
  }

  /** Checks whether any call matches both rules. */
  overlap(a: CompiledRule, b: CompiledRule): boolean {
    return this.find([a, b], [], false) !== undefined;
  }

  /** Checks a call, which must be in normal form. */
  #matches(rule: CompiledRule, call: ToolCall, box: Box): boolean {
    return (
      fields.every((field) => rule[field]?.matches(call[field] ?? '') ?? true) &&
      this.#conditions.get(rule)!.every((condition) => this.#meetsCondition(condition, call, box))
    );
  }

  /** Checks a condition. If it concerns a source that the box leaves open, it fails if the value is present. */
  #meetsCondition(condition: Condition, { parameters }: ToolCall, box: Box): boolean {
    if ('field' in condition) return true;
    if ('argument' in condition) return this.#meetsArgument(this.#needs[condition.argument]!.argument, parameters);
    const { argument } = this.#needs[condition.present]!;
    return box.sources.includes(condition.source) || !this.#meetsArgument(argument, parameters);
  }

  #assumedIn({ sources }: Box): Set<string> {
    return new Set(sources.filter((id) => id >= 0).map((id) => this.#atoms[id]!.key));
  }

  /**
   * Returns a box without the calls of a rule, as disjoint parts: one for each condition that may be the first to fail.
   */
  #split(box: Box, rule: CompiledRule): { box: Box; size: number }[] {
    const parts: { box: Box; size: number }[] = [];
    let rest = box;
    for (const condition of this.#conditions.get(rule)!) {
      const part = narrow(rest, condition, true);
      const size = this.#sizeOf(part);
      if (size !== undefined) parts.push({ box: part, size });
      rest = narrow(rest, condition, false);
    }
    return parts;
  }

  /** Returns the length of the shortest call in a box, or undefined if the box is empty. */
  #sizeOf(box: Box): number | undefined {
    if (box.sources.some((id) => id < 0 && box.sources.includes(~id))) return undefined;
    let size = 0;
    for (const field of fields) {
      const text = this.#example(box, field);
      if (text === undefined) return undefined;
      size += text.length;
    }
    const parameters = this.#parameters(box);
    return parameters && size + JSON.stringify(parameters).length;
  }

  #callOf(box: Box): ToolCall {
    const text = (field: Field): string => this.#example(box, field)!;
    const upstream = text('upstream');
    return {
      protocol: text('protocol'),
      tool: text('tool'),
      ...(upstream !== '' && { upstream }),
      target: text('target'),
      capability: text('capability'),
      parameters: this.#parameters(box)!,
    };
  }

  #example(box: Box, field: Field): string | undefined {
    return this.#languages[field].example(box.constraints[field]);
  }

  #parameters(box: Box): Record<string, unknown> | undefined {
    const key = box.needs.join();
    if (this.#solved.has(key)) return this.#solved.get(key);
    const inherited = this.#inherit(box.needs);
    const needs = box.needs.map((id) => (id >= 0 ? this.#needs[id]!.as : this.#needs[~id]!.not));
    const parameters = inherited ? inherited.parameters : solveParameters(needs, this.#texts);
    this.#solved.set(key, parameters);
    return parameters;
  }

  /**
   * Reuses the smallest parameters found for fewer conditions: if they also meet these, they are the smallest here as
   * well.
   */
  #inherit(needs: Constraint): { parameters: Record<string, unknown> | undefined } | undefined {
    for (const id of needs) {
      const fewer = needs.filter((other) => other !== id).join();
      if (!this.#solved.has(fewer)) continue;
      const parameters = this.#solved.get(fewer);
      const { argument } = this.#needs[id < 0 ? ~id : id]!;
      if (parameters === undefined || this.#meetsArgument(argument, parameters) === id >= 0) return { parameters };
    }
    return undefined;
  }

  #meetsArgument({ path, predicate }: CompiledArgument, parameters: unknown): boolean {
    return holdsAt(path, parameters, (value) => meetsPredicate(predicate, value, (text) => this.#texts.normal(text)));
  }

  #conditionsOf(rule: CompiledRule): Condition[] {
    const named = fields.flatMap((field): Condition[] => {
      const glob = rule[field];
      return glob ? [{ field, id: this.#languages[field].add(glob) }] : [];
    });
    const onArguments = rule.arguments.flatMap((argument): Condition[] => {
      const parted = partedOf(argument);
      if (!parted) return [{ argument: this.#needOf(argument) }];
      const { value, present, atom } = parted;
      const known = this.#atoms.findIndex(({ key }) => key === atom.key);
      const source = known >= 0 ? known : this.#atoms.push(atom) - 1;
      return [{ argument: this.#needOf(value) }, { source, present: this.#needOf(present) }];
    });
    return [...named, ...onArguments];
  }

  #needOf(argument: CompiledArgument): number {
    const key = JSON.stringify([argument.path.source, argument.predicate.source]);
    const id =
      this.#needIds.get(key) ??
      this.#needs.push({ argument, as: constraintOf(argument, false), not: constraintOf(argument, true) }) - 1;
    this.#needIds.set(key, id);
    return id;
  }
}

function narrow(box: Box, condition: Condition, negated: boolean): Box {
  if ('source' in condition) {
    const { source, present } = condition;
    const needs = negated ? constrain(box.needs, present) : box.needs;
    return { ...box, needs, sources: constrain(box.sources, negated ? ~source : source) };
  }
  if ('argument' in condition) {
    const needs = constrain(box.needs, negated ? ~condition.argument : condition.argument);
    return needs === box.needs ? box : { ...box, needs };
  }
  const { field, id } = condition;
  const constraint = constrain(box.constraints[field], negated ? ~id : id);
  return { ...box, constraints: { ...box.constraints, [field]: constraint } };
}

/**
 * Removes the next box: the last one for a depth-first search, or the smallest one when searching for the shortest
 * call.
 */
function takeNext<T extends { size: number; depth: number }>(open: T[], shortest: boolean): T {
  if (!shortest) return open.pop()!;
  let best = 0;
  open.forEach((one, i) => {
    const leader = open[best]!;
    if (one.size < leader.size || (one.size === leader.size && one.depth > leader.depth)) best = i;
  });
  return open.splice(best, 1)[0]!;
}
