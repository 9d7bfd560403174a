/**
 * Computes the forms stored for a text, and the forms to search for when looking for a value. Forms are runs of one,
 * two and four atoms, so that overlapping runs match a value of any length. Dates, times and grouped numbers have their
 * own forms [provenance.traced].
 */
import { decodedParts, decodeSpelledAddress, joinedSigns } from '#core/text/decode/encodings.ts';
import { atomsOf, normalizeText } from './atoms.ts';
import { type DatePart, datePartForm, datePartForms, withoutLongerNumbers } from './date-parts.ts';
import { dateForms, dayForms, formsOfDate } from './dates.ts';
import { compactOf, figuresOf, groupedForms } from './groups.ts';
import { placeForms, widening } from './places.ts';

/** Length limit per text. A longer text leaves a gap in the record. */
const maxCharacters = 64 * 1024;

const separator = '\u0001';

/** Returns all forms of a text. @param depth number of decoding steps so far. */
export function formsOf(text: string, forms = new Set<string>(), depth = 0): Set<string> {
  const cut = text.length > maxCharacters ? text.slice(0, maxCharacters) : text;
  const atoms = atomsOf(cut);
  const plain = normalizeText(cut);
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

/** Returns each atom. A number that occurs only within a date, a time or a grouped number gets a separate form. */
function singleForms(atoms: readonly string[], text: string): readonly string[] {
  const rest = withoutLongerNumbers(text);
  if (rest === text) return atoms;
  const own = new Set(atomsOf(rest));
  return atoms.map((atom) => (isFigure(atom) && !own.has(atom) ? figureForm(atom) : atom));
}

const figureForm = (figure: string): string => `in:${figure}`;

/** The forms to search for when looking for a value. */
export interface ValueForms {
  /** A text contains the whole value if it has all of these forms, or one of `instead`. */
  readonly all: readonly string[];
  readonly instead: readonly string[];
  /** A number within a longer number: it may come from a result, but does not count as the person's own. */
  readonly within: readonly string[];
  /** Runs in order. Several consecutive runs form a part of the value. */
  readonly runs: readonly string[];
  /** Forms any one of which counts as a part of the value: an address, a long number, the host of an address. */
  readonly marks: readonly string[];
  /** Places and patterns that are not fully determined by the value's words. */
  readonly wider: ReturnType<typeof widening>;
  /** Amounts whose unit must match as well. */
  readonly units: readonly string[];
}

/**
 * Returns the forms of a value, or undefined for a value without atoms.
 * @param datePart set for a value named as day, month, year, hour or minute.
 */
export function valueForms(value: string, datePart?: DatePart): ValueForms | undefined {
  const bare = plainAddress(value);
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

/** Returns the address in `Anna <anna@example.com>`, and removes `mailto:` and `tel:`. */
function plainAddress(value: string): string {
  const named = /^[^<>]{0,200}<([^<>\s@]{1,200}@[^<>\s@]{1,200})>\s*$/.exec(value);
  return named ? named[1]! : value.replace(/^\s*(?:mailto|tel):/i, '');
}

/**
 * Reports whether an atom is too specific to occur in two texts by chance: it is long, or contains digits or an
 * address.
 */
const isMark = (atom: string): boolean =>
  atom.length >= 12 || (atom.length >= 5 && /\d/.test(atom)) || /.@.|[a-z0-9]\.[a-z]/.test(atom);

/** Returns the form shared by addresses in one domain: `p:example.com`. */
function addressParts(atom: string): string[] {
  const host = /@([a-z0-9.-]+\.[a-z]{2,})$/.exec(atom)?.[1] ?? (/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(atom) ? atom : '');
  if (host === '') return [];
  const labels = host.split('.');
  return labels.length < 2 ? [] : [`p:${labels.slice(-2).join('.')}`];
}

const figures = String.raw`\d{1,15}(?:\.\d{1,9})?`;
const names = 'eur|euros?|usd|dollars?|gbp|pounds?|jpy|yen|percent|per cent|prozent';
const symbolBeforeAmount = new RegExp(String.raw`(?<![\w.])([$€£¥])\s?(${figures})(?![\w.]*\d)`, 'g');
const behind = new RegExp(String.raw`(?<![\w.])(${figures})\s?([$€£¥%]|(?:${names})(?!\w))`, 'g');
const codeBeforeAmount = new RegExp(String.raw`(?<!\w)(eur|usd|gbp|jpy)\s(${figures})(?![\w.]*\d)`, 'g');

const signs = new Map([
  ...['eur', 'euro', 'euros'].map((name) => [name, '€'] as const),
  ...['usd', 'dollar', 'dollars'].map((name) => [name, '$'] as const),
  ...['gbp', 'pound', 'pounds'].map((name) => [name, '£'] as const),
  ...['jpy', 'yen'].map((name) => [name, '¥'] as const),
  ...['percent', 'per cent', 'prozent'].map((name) => [name, '%'] as const),
]);

/** Returns `u:€50` for each amount with a unit in a text. */
function unitForms(text: string): string[] {
  if (!/\d/.test(text)) return [];
  const plain = normalizeText(text);
  const form = (unit: string, amount: string): string =>
    `u:${signs.get(unit) ?? unit}${amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount}`;
  return [
    ...Array.from(plain.matchAll(symbolBeforeAmount), ([, unit, amount]) => form(unit!, amount!)),
    ...Array.from(plain.matchAll(behind), ([, amount, unit]) => form(unit!, amount!)),
    ...Array.from(plain.matchAll(codeBeforeAmount), ([, unit, amount]) => form(unit!, amount!)),
  ];
}

/** Returns a value's amounts that have a unit sign. The name of a unit is searched for as a word. */
const signedForms = (value: string): string[] => (/[$€£¥%]/.test(value) ? unitForms(value) : []);
