/**
 * The forms under which a text is remembered, and those a value is asked for by. Forms are runs of one, two and four atoms, so
 * that a value of any length is found by runs that overlap; dates, times and numbers written in groups have a form of their
 * own [provenance.forms].
 */
import { atomsOf } from './atoms.ts';
import { dateForms, isDate } from './dates.ts';
import { decodedParts, decodeSpelledAddress } from './encodings.ts';
import { placeForms, widening } from './places.ts';

/** A longer text is remembered up to here; its record has a gap then. */
const maxCharacters = 64 * 1024;

const lengths = [1, 2, 4] as const;
const separator = '\u0001';

/** Every form of a text. @param depth how often it was decoded already. */
export function formsOf(text: string, forms = new Set<string>(), depth = 0): Set<string> {
  const cut = text.length > maxCharacters ? text.slice(0, maxCharacters) : text;
  const atoms = atomsOf(cut);
  for (const length of lengths) for (let at = 0; at + length <= atoms.length; at++) forms.add(run(atoms, at, length));
  for (const form of dateForms(cut)) forms.add(form);
  for (const form of groupedForms(atoms)) forms.add(form);
  for (const form of placeForms(cut)) forms.add(form);
  for (const atom of atoms) for (const part of addressParts(atom)) forms.add(part);
  if (depth > 0) return forms;
  for (const part of decodedParts(cut)) formsOf(part, forms, depth + 1);
  const spelled = decodeSpelledAddress(cut);
  if (spelled !== undefined) formsOf(spelled, forms, depth + 1);
  return forms;
}

/** What a value is asked for by. */
export interface ValueForms {
  /** All of these, or one of the others: then the whole value is there. */
  readonly all: readonly string[];
  readonly instead: readonly string[];
  /** Runs in order: several that follow each other are a part of the value. */
  readonly runs: readonly string[];
  /** Any of these is a part of it: an address, a number of many figures, the host of an address. */
  readonly marks: readonly string[];
  /** Places that must not be known only as a folder over another, and patterns that must stand there as they are. */
  readonly wider: ReturnType<typeof widening>;
}

/** The zone of a time: the person rarely names it. */
const zone = /\s?(?:Z|[+-]\d{2}:?\d{2})\s*$/i;

/** Undefined for a value without atoms: there is nothing to look for. */
export function valueForms(value: string): ValueForms | undefined {
  const atoms = atomsOf(addressOf(value));
  if (atoms.length === 0) return undefined;
  const length = atoms.length === 1 ? 1 : atoms.length < 4 ? 2 : 4;
  const runs = Array.from({ length: atoms.length - length + 1 }, (_none, at) => run(atoms, at, length));
  const compacted = compactOf(atoms);
  return {
    all: isDate(value) ? [...dateForms(value.replace(zone, ''))] : runs,
    instead: compacted === undefined ? [] : [compacted],
    wider: widening(value),
    runs,
    marks: [...atoms.filter(isMark), ...atoms.flatMap(addressParts), ...(compacted === undefined ? [] : [compacted])],
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

const group = /^\+?[a-z0-9]{1,12}$/;
const maxGroups = 10;

/** Account and telephone numbers are written in groups: `DE89 3704 0044…` is `c:de8937040044…` as well. */
function* groupedForms(atoms: readonly string[]): Iterable<string> {
  for (let at = 0; at < atoms.length; at++) {
    if (!group.test(atoms[at]!) && isCompact(atoms[at]!)) yield `c:${atoms[at]}`;
    let joined = '';
    for (let end = at; end < Math.min(atoms.length, at + maxGroups); end++) {
      const atom = atoms[end]!;
      if (!group.test(atom) || !/\d/.test(atom)) break;
      joined += atom;
      if (isCompact(joined)) yield `c:${joined}`;
    }
  }
}

const compactOf = (atoms: readonly string[]): string | undefined => {
  if (atoms.length > maxGroups || !atoms.every((atom) => /^\+?[a-z0-9]+$/.test(atom) && /\d/.test(atom)))
    return undefined;
  const joined = atoms.join('');
  return isCompact(joined) ? `c:${joined}` : undefined;
};

/** The shape of an IBAN, or of a telephone or card number. */
const isCompact = (text: string): boolean => /^[a-z]{2}\d{2}[a-z0-9]{10,30}$|^\+?\d{7,19}$/.test(text);
