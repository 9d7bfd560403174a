/**
 * Numbers that are written in groups: accounts, cards, telephone numbers, thousands. `c:` names one whose groups have the shape of such a
 * number, so it is the number. `j:` names any figures in a row: two numbers beside each other are not a third one, but what holds
 * them may be where a value comes from [provenance.forms].
 */

const group = /^\+?[a-z0-9]{1,12}$/;
const maxGroups = 10;

/** Of the atoms of a text. @param text in the spelling of `normal`. */
export function* groupedForms(atoms: readonly string[], text: string): Iterable<string> {
  for (const joined of shapedNumbers(text)) yield `c:${joined}`;
  for (let at = 0; at < atoms.length; at++) {
    if (!group.test(atoms[at]!) && isCompact(atoms[at]!)) yield `c:${atoms[at]}`;
    let joined = '';
    for (let end = at; end < Math.min(atoms.length, at + maxGroups); end++) {
      const atom = atoms[end]!;
      if (!group.test(atom) || !/\d/.test(atom)) break;
      joined += atom;
      if (end === at && isCompact(joined)) yield `c:${joined}`;
      if (isFigures(joined)) yield `j:${joined.replace('+', '')}`;
    }
  }
}

/** Of a value: the number that it is without its groups. */
export function compactOf(value: string): string | undefined {
  if (value.length > 64 || !/^\s*[+(]?[a-z0-9][a-z0-9\s().\-/]*$/i.test(value)) return undefined;
  // A dot may be that of a decimal; in a telephone number with its country it is a mark between groups.
  if (value.includes('.') && !/^\s*\+/.test(value)) return undefined;
  const joined = value.toLowerCase().replace(/[\s().\-/]/g, '');
  return isCompact(joined) ? `c:${joined}` : undefined;
}

/** Of a value: its figures in a row, whatever stands between them. */
export function figuresOf(value: string): string | undefined {
  if (value.length > 64 || !/^[\s+\d().,\-_/':]+$/.test(value)) return undefined;
  const joined = value.replace(/\D/g, '');
  return isFigures(joined) ? `j:${joined}` : undefined;
}

/** The shape of an IBAN, or of a telephone or card number. */
const isCompact = (text: string): boolean => /^[a-z]{2}\d{2}[a-z0-9]{10,30}$|^\+?\d{7,19}$/.test(text);
const isFigures = (text: string): boolean => /^\+?\d{6,19}$/.test(text);

const shaped = [
  // With the country, or with the zero that a number of one country begins with.
  /(?<![\w.,+])(?:\+\d{0,6}|\(?0\d{1,6})\)?(?:[ ().\-/]{1,3}\d{1,8}){1,8}(?![\w]|[.,]\d)/g,
  /(?<![\w.,+-])(?:1[ -])?\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}(?![\w]|[.,]\d)/g,
  // Cards.
  /(?<![\w.,+-])\d{4}([ -])\d{4}\1\d{4}(?:\1\d{1,4}){0,2}(?![\w]|[.,]\d)/g,
  /(?<![\w.,+-])\d{4}([ -])\d{6}\1\d{5}(?![\w]|[.,]\d)/g,
  // Thousands.
  /(?<![\w.,+-])\d{1,3}(?:([ \u00a0\u202f'’])\d{3})(?:\1\d{3})+(?![\w]|[.,]\d)/g,
  // An IBAN, and perhaps words behind it.
  /(?<!\w)[a-z]{2}\d{2}[a-z0-9]{0,8}(?:[ -][a-z0-9]{1,8}){1,9}(?!\w)/g,
];

function* shapedNumbers(text: string): Iterable<string> {
  if (!/\d/.test(text)) return;
  for (const pattern of shaped)
    for (const [written] of text.matchAll(pattern))
      for (const joined of numbersIn(written)) if (isCompact(joined)) yield joined;
}

/** Returns the text without such numbers. Of an account only groups with figures in them: what follows may be an amount in words. */
export const withoutGroups = (text: string): string =>
  [...shaped.slice(0, -1), accountGroups].reduce((left, pattern) => left.replace(pattern, ' '), text);

const accountGroups = /(?<!\w)[a-z]{2}\d{2}(?:[ -](?=[a-z]{0,4}\d)[a-z0-9]{1,4}){2,8}(?!\w)/g;

/** Words may follow an account, so each run of its groups from the first on is one. */
function numbersIn(written: string): string[] {
  const groups = written.split(/[^a-z0-9+]+/);
  const joined = groups.join('');
  if (!/^[a-z]/.test(written)) return [joined];
  return groups.map((_group, at) => groups.slice(0, at + 1).join(''));
}
