/**
 * Precision and recall of a plugin on generated rows, and separately on rows from templates that it was not developed
 * on.
 */
import type { Flag } from './module.ts';

export interface Row {
  readonly kind: string;
  readonly text: string;
  /** Whether the plugin should flag it. */
  readonly wanted: boolean;
  /** Whether its template was not used to develop the plugin. */
  readonly heldOut: boolean;
}

export interface Score {
  readonly wanted: number;
  readonly harmless: number;
  readonly missed: readonly Row[];
  readonly falseAlarms: readonly Row[];
  readonly recall: number;
  readonly precision: number;
}

export interface Measured {
  readonly written: Score;
  readonly heldOut: Score;
  readonly kinds: ReadonlyMap<string, { readonly written: Score; readonly heldOut: Score }>;
}

function scoreOf(rows: readonly Row[], flags: ReadonlySet<Row>): Score {
  const wanted = rows.filter((row) => row.wanted);
  const harmless = rows.filter((row) => !row.wanted);
  const missed = wanted.filter((row) => !flags.has(row));
  const falseAlarms = harmless.filter((row) => flags.has(row));
  const found = wanted.length - missed.length;
  return {
    wanted: wanted.length,
    harmless: harmless.length,
    missed,
    falseAlarms,
    recall: wanted.length === 0 ? 1 : found / wanted.length,
    precision: found + falseAlarms.length === 0 ? 1 : found / (found + falseAlarms.length),
  };
}

export function measured(rows: readonly Row[], flag: Flag): Measured {
  const flags = new Set(rows.filter(({ text }) => flag(text) !== undefined));
  const halves = (some: readonly Row[]) => ({
    written: scoreOf(
      some.filter(({ heldOut }) => !heldOut),
      flags,
    ),
    heldOut: scoreOf(
      some.filter(({ heldOut }) => heldOut),
      flags,
    ),
  });
  const kinds = [...new Set(rows.map(({ kind }) => kind))];
  return {
    ...halves(rows),
    kinds: new Map(kinds.map((kind) => [kind, halves(rows.filter((row) => row.kind === kind))])),
  };
}

/** Builds rows from templates. The last third of the templates is held out. */
export function rowsFrom(
  kind: string,
  wanted: boolean,
  templates: readonly string[],
  each: number,
  fill: (template: string) => string,
): Row[] {
  const kept = Math.ceil((templates.length * 2) / 3);
  return templates.flatMap((template, at) =>
    Array.from({ length: each }, () => ({ kind, wanted, text: fill(template), heldOut: at >= kept })),
  );
}
