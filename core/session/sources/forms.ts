/**
 * The forms under which a text is remembered, and those a value is asked for by. Forms are runs of one, two and four atoms, so
 * that a value of any length is found by runs that overlap; dates, times and numbers written in groups have a form of their
 * own [provenance.forms].
 */

import { decodedParts, decodeSpelledAddress, joinedSigns } from '#core/text/decode/encodings.ts';
import { atomsOf, normal } from './atoms.ts';
import { type DatePart, datePartForm, datePartForms, withoutLongerNumbers } from './date-parts.ts';
import { dateForms, dayForms, formsOfDate } from './dates.ts';
import { compactOf, figuresOf, groupedForms } from './groups.ts';
import { placeForms, widening } from './places.ts';
import { signedForms, unitForms } from './units.ts';

/** A longer text is remembered up to here; its record has a gap then. */
const maxCharacters = 64 * 1024;

const separator = '\u0001';

/** Every form of a text. @param depth how often it was decoded already. */
export function formsOf(text: string, forms = new Set<string>(), depth = 0): Set<string> {
  const cut = text.length > maxCharacters ? text.slice(0, maxCharacters) : text;
  const atoms = atomsOf(cut);
  const plain = normal(cut);
  for (const form of singleForms(atoms, plain)) forms.add(form);
  for (const length of [2, 4]) for (let at = 0; at + length <= atoms.length; at++) forms.add(run(atoms, at, length));
  for (const form of dateForms(cut)) forms.add(form);
  for (const form of datePartForms(plain)) forms.add(form);
  for (const form of groupedForms(atoms, plain)) forms.add(form);
  for (const form of unitForms(cut)) forms.add(form);
  for (const form of placeForms(cut)) forms.add(form);
  for (const atom of atoms) for (const part of addressParts(atom)) forms.add(part);
  if (depth > 0) return forms;
  for (const part of [...decodedParts(cut), ...joinedSigns(cut)]) formsOf(part, forms, depth + 1);
  const spelled = decodeSpelledAddress(cut);
  if (spelled !== undefined) formsOf(spelled, forms, depth + 1);
  return forms;
}

const isFigure = (atom: string): boolean => /^\d+(?:\.\d+)?$/.test(atom);

/** Returns each atom; a number that is only a figure of a date, a time or a number in groups has a form of its own. */
function singleForms(atoms: readonly string[], text: string): readonly string[] {
  const rest = withoutLongerNumbers(text);
  if (rest === text) return atoms;
  const own = new Set(atomsOf(rest));
  return atoms.map((atom) => (isFigure(atom) && !own.has(atom) ? figureForm(atom) : atom));
}

const figureForm = (figure: string): string => `in:${figure}`;

/** What a value is asked for by. */
export interface ValueForms {
  /** All of these, or one of the others: then the whole value is there. */
  readonly all: readonly string[];
  readonly instead: readonly string[];
  /** A figure of a longer number: enough for a value to come from a result, and not for it to be the word of the person. */
  readonly within: readonly string[];
  /** Runs in order: several that follow each other are a part of the value. */
  readonly runs: readonly string[];
  /** Any of these is a part of it: an address, a number of many figures, the host of an address. */
  readonly marks: readonly string[];
  /** Places and patterns that the words alone do not name. */
  readonly wider: ReturnType<typeof widening>;
  /** Amounts that must have the same unit. */
  readonly units: readonly string[];
}

/**
 * Undefined for a value without atoms: there is nothing to look for.
 * @param datePart of a value that its name calls a day, month, year, hour or minute.
 */
export function valueForms(value: string, datePart?: DatePart): ValueForms | undefined {
  const bare = addressOf(value);
  const atoms = atomsOf(bare);
  if (atoms.length === 0) return undefined;
  const length = atoms.length === 1 ? 1 : atoms.length < 4 ? 2 : 4;
  const runs = Array.from({ length: atoms.length - length + 1 }, (_none, at) => run(atoms, at, length));
  const [compacted, figures] = [compactOf(bare), figuresOf(bare)];
  const ofDate = datePart && datePartForm(datePart, value);
  const groups = [compacted, figures].filter((form) => form !== undefined);
  return {
    all: formsOfDate(value) ?? runs,
    instead: [compacted, ofDate].filter((form) => form !== undefined),
    within: atoms.length === 1 && isFigure(atoms[0]!) ? [figureForm(atoms[0]!)] : [],
    wider: widening(value),
    units: signedForms(value),
    runs,
    marks: [...atoms.filter(isMark), ...atoms.flatMap(addressParts), ...groups, ...dayForms(value)],
  };
}

const run = (atoms: readonly string[], at: number, length: number): string =>
  length === 1 ? atoms[at]! : atoms.slice(at, at + length).join(separator);

/** `Anna <anna@example.com>` goes to the address in it; `mailto:` and `tel:` name none. */
function addressOf(value: string): string {
  const named = /^[^<>]{0,200}<([^<>\s@]{1,200}@[^<>\s@]{1,200})>\s*$/.exec(value);
  return named ? named[1]! : value.replace(/^\s*(?:mailto|tel):/i, '');
}

/** Long, or with figures or an address in it: chance does not put it into two texts. */
const isMark = (atom: string): boolean =>
  atom.length >= 12 || (atom.length >= 5 && /\d/.test(atom)) || /.@.|[a-z0-9]\.[a-z]/.test(atom);

/** What an address shares with others of its host: `p:example.com`. */
function addressParts(atom: string): string[] {
  const host = /@([a-z0-9.-]+\.[a-z]{2,})$/.exec(atom)?.[1] ?? (/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(atom) ? atom : '');
  if (host === '') return [];
  const labels = host.split('.');
  return labels.length < 2 ? [] : [`p:${labels.slice(-2).join('.')}`];
}
