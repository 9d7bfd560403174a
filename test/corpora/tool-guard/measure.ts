/** Counts the corpus rows on which the guard acts by default. */
import { toolGuard } from '#core/contracts/config/tool-guard.ts';
import { checkArguments } from '#core/guard/arguments.ts';
import { checkText } from '#core/guard/check-text.ts';
import { definitionTexts } from '#core/guard/definition-texts.ts';
import { checkDefinition } from '#core/guard/definitions.ts';
import { readServer, shadowsIn } from '#core/guard/shadowing.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { harmful } from './harmful.ts';
import { harmless } from './harmless.ts';
import type { Row } from './sample.ts';
import { speechActNeighbours, speechActRows } from './speech-acts.ts';
import { weakKindNeighbours, weakKinds } from './weak-kinds.ts';

const defaults = toolGuard.parse({});

const mail = readServer({
  server: 'mail',
  parted: 'mail__',
  names: ['send_email', 'search', 'list_messages', 'readThread', 'delete_message'],
});

/** Returns the findings for a server `weather` next to a server `mail`. */
function besideMail(definition: JsonObject, more: readonly string[]): readonly string[] {
  const own = readServer({ server: 'weather', parted: 'weather__', names: [String(definition.name), ...more] });
  return shadowsIn(definition, own, [own, mail]);
}

/** Returns the kinds of findings that do more than record. */
export function actedOn(row: Row): string[] {
  switch (row.place) {
    case 'result':
      return checkText(row.text).flatMap(({ kind, severity }) =>
        severity !== 'low' && defaults.results[kind] !== 'log' ? [kind] : [],
      );
    case 'definition':
      return checkDefinition(row.definition as JsonObject).flatMap(({ kind, severity }) =>
        severity !== 'low' && defaults.definitions[kind] !== 'log' ? [kind] : [],
      );
    case 'beside':
      return besideMail(row.definition as JsonObject, row.own).map(() => 'shadowing');
    case 'argument':
      return checkArguments(row.parameters).flatMap(({ kind }) => (defaults.arguments[kind] === 'log' ? [] : [kind]));
  }
}

export interface Share {
  readonly rows: number;
  readonly acted: number;
}

export interface Measured {
  readonly kinds: ReadonlyMap<string, { readonly written: Share; readonly heldOut: Share }>;
  readonly written: Share;
  readonly heldOut: Share;
  /** Mean over the kinds. */
  readonly byKind: { readonly written: number; readonly heldOut: number };
}

/** Check of whether anything acts on a row; by default, the guard's rules only. */
type Acts = (row: Row) => boolean;
const byRules: Acts = (row) => actedOn(row).length > 0;

const shareOf = (rows: readonly Row[], acts: Acts): Share => ({ rows: rows.length, acted: rows.filter(acts).length });
const rate = ({ rows, acted }: Share): number => acted / rows;

function measured(rows: readonly Row[], acts: Acts): Measured {
  const of = (some: readonly Row[]) => ({
    written: shareOf(
      some.filter(({ heldOut }) => !heldOut),
      acts,
    ),
    heldOut: shareOf(
      some.filter(({ heldOut }) => heldOut),
      acts,
    ),
  });
  const names = [...new Set(rows.map(({ kind }) => kind))];
  const kinds = new Map(names.map((kind) => [kind, of(rows.filter((row) => row.kind === kind))]));
  const mean = (half: 'written' | 'heldOut') =>
    [...kinds.values()].reduce((sum, kind) => sum + rate(kind[half]), 0) / kinds.size;
  return { kinds, ...of(rows), byKind: { written: mean('written'), heldOut: mean('heldOut') } };
}

export const measureHarmful = (acts: Acts = byRules): Measured => measured(harmful(), acts);
export const measureHarmless = (acts: Acts = byRules): Measured => measured(harmless(), acts);
/** Measures the newly held-out kinds and their harmless neighbours. */
export const measureWeakKinds = (acts: Acts = byRules): Measured => measured(weakKinds(), acts);
export const measureNeighbours = (acts: Acts = byRules): Measured => measured(weakKindNeighbours(), acts);

/** Measures single sentences on which the speech-act rules were developed, a held-out set, and harmless look-alikes. */
export const measureSpeechActs = (acts: Acts = byRules): Measured => measured(speechActRows(), acts);
export const measureSpeechActNeighbours = (acts: Acts = byRules): Measured => measured(speechActNeighbours(), acts);

/** Returns the text of a row that a classifier reads. It does not read arguments. */
export const classifiedText = (row: Row): string | undefined => {
  if (row.place === 'argument') return undefined;
  if (row.place === 'result') return row.text;
  const texts = definitionTexts(row.definition as JsonObject).map(({ text }) => text);
  return [String(row.definition.name), ...texts].join('\n');
};
