/** Changes that cannot be noticed, each with the reason: no input makes the changed line behave otherwise. */
import type { Mutant } from './mutants.ts';

export interface Equivalent {
  readonly file: string;
  /** The text of the line, without its indent. */
  readonly line: string;
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

const memoryOnly = 'The map remembers what can be found out again, so its size changes memory and time, no answer.';

export const equivalents: readonly Equivalent[] = [
  {
    file: 'core/approvals/event-feed.ts',
    line: 'const first = this.#kept[0]?.number ?? this.#last + 1;',
    ...{ from: 'this.#last + 1', to: 'this.#last - 1' },
    reason: 'No event is kept only before the first one, and then a reader has missed none by either number.',
  },
  {
    file: 'core/evidence/tally.ts',
    line: 'if (!this.#first || !this.#last) return undefined;',
    ...{ from: '!this.#first || !this.#last', to: '!this.#first && !this.#last' },
    reason: 'The first and the last entry are set together, so one is missing only when both are.',
  },
  {
    file: 'core/limits/prices.ts',
    line: 'const maxModels = 500;',
    ...{ from: '500', to: '(500 + 1)' },
    reason: memoryOnly,
  },
  {
    file: 'core/limits/window.ts',
    line: 'if (second > (others.at(-1)?.second ?? 0)) return [...others, after];',
    ...{ from: '0', to: '(0 + 1)' },
    reason: 'Without other buckets the list is the new one alone, and sorting a list of one changes nothing.',
  },
  {
    file: 'core/limits/state-text.ts',
    line: 'const first = window[0]?.second ?? 0;',
    ...{ from: '0', to: '(0 + 1)' },
    reason:
      'Without buckets the first second is only what leases count from, when they are written and when they are read.',
  },
  {
    file: 'core/policy/rules/path-pattern.ts',
    line: 'if (at >= row.length) {',
    ...{ from: 'at >= row.length', to: 'at > row.length' },
    reason: 'A step that was not written down is computed again, with the same result.',
  },
  {
    file: 'core/policy/rules/normalise.ts',
    line: 'seen.set(raw, text);',
    ...{ from: 'seen.set(raw, text);', to: ';' },
    reason: memoryOnly,
  },
  {
    file: 'core/policy/rules/predicate.ts',
    line: 'return text.length <= 2 * maxLength && [...text].length <= maxLength;',
    ...{ from: '2', to: '(2 + 1)' },
    reason:
      'A character has two units at most, so a text of more than twice as many units has too many characters anyway.',
  },
  {
    file: 'core/policy/rules/analysis/text-solver.ts',
    line: `const marks = needs.map(({ predicate, negated }) => \`\${negated ? '-' : '+'}\${this.#numbers.get(predicate)}\`);`,
    ...{ from: 'negated', to: '!(negated)' },
    reason: 'The signs of all marks are exchanged, and a contradiction is a pair of both.',
  },
  {
    file: 'core/policy/rules/analysis/reachability.ts',
    line: 'for (const part of this.#split(box, taker)) open.push({ ...part, depth: depth + 1 });',
    ...{ from: '1', to: '(1 + 1)' },
    reason: 'Depths are only compared with each other.',
  },
];

export const reasonWithoutEffect = (mutant: Mutant): string | undefined =>
  equivalents.find((known) => isOf(known, mutant))?.reason;

export const isOf = (known: Equivalent, { file, context, from, to }: Mutant): boolean =>
  known.file === file && known.line === context && known.from === from && known.to === to;
