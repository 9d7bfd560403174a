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

export const equivalents: readonly Equivalent[] = [];

export const reasonWithoutEffect = (mutant: Mutant): string | undefined =>
  equivalents.find((known) => isOf(known, mutant))?.reason;

export const isOf = (known: Equivalent, { file, context, from, to }: Mutant): boolean =>
  known.file === file && known.line === context && known.from === from && known.to === to;
