/**
 * Numbers written in groups: accounts, cards, telephone numbers, thousands. `c:` marks a number whose groups have such
 * a shape, so it counts as the same number. `j:` marks any sequence of digits: two adjacent numbers do not make up a
 * third one, but may be the source of a value [provenance.traced].
 */

const group = /^\+?[a-z0-9]{1,12}$/;
const maxGroups = 10;

/** Yields the forms of grouped numbers in a text. @param text as normalised by `normal`. */
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

/** Returns the form of a value without its grouping. */
export function compactOf(value: string): string | undefined {
  if (value.length > 64 || !/^\s*[+(]?[a-z0-9][a-z0-9\s().\-/]*$/i.test(value)) return undefined;
  // A dot may be a decimal point, but in an international telephone number it separates groups.
  if (value.includes('.') && !/^\s*\+/.test(value)) return undefined;
  const joined = value.toLowerCase().replace(/[\s().\-/]/g, '');
  return isCompact(joined) ? `c:${joined}` : undefined;
}

/** Returns the form of a value's digits, ignoring the separators between them. */
export function figuresOf(value: string): string | undefined {
  if (value.length > 64 || !/^[\s+\d().,\-_/':]+$/.test(value)) return undefined;
  const joined = value.replace(/\D/g, '');
  return isFigures(joined) ? `j:${joined}` : undefined;
}

/** Reports whether a text has the shape of an IBAN, a telephone number or a card number. */
const isCompact = (text: string): boolean => /^[a-z]{2}\d{2}[a-z0-9]{10,30}$|^\+?\d{7,19}$/.test(text);
const isFigures = (text: string): boolean => /^\+?\d{6,19}$/.test(text);

const shaped = [
  // Telephone numbers, with a country code or a leading zero.
  /(?<![\w.,+])(?:\+\d{0,6}|\(?0\d{1,6})\)?(?:[ ().\-/]{1,3}\d{1,8}){1,8}(?![\w]|[.,]\d)/g,
  /(?<![\w.,+-])(?:1[ -])?\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}(?![\w]|[.,]\d)/g,
  // Cards.
  /(?<![\w.,+-])\d{4}([ -])\d{4}\1\d{4}(?:\1\d{1,4}){0,2}(?![\w]|[.,]\d)/g,
  /(?<![\w.,+-])\d{4}([ -])\d{6}\1\d{5}(?![\w]|[.,]\d)/g,
  // Thousands.
  /(?<![\w.,+-])\d{1,3}(?:([ \u00a0\u202f'’])\d{3})(?:\1\d{3})+(?![\w]|[.,]\d)/g,
  // An IBAN, possibly followed by words.
  /(?<!\w)[a-z]{2}\d{2}[a-z0-9]{0,8}(?:[ -][a-z0-9]{1,8}){1,9}(?!\w)/g,
];

function* shapedNumbers(text: string): Iterable<string> {
  if (!/\d/.test(text)) return;
  for (const pattern of shaped)
    for (const [written] of text.matchAll(pattern))
      for (const joined of numbersIn(written)) if (isCompact(joined)) yield joined;
}

/**
 * Returns the text without such numbers. For an account, removes only groups that contain digits: the following text
 * may be an amount in words.
 */
export const withoutGroups = (text: string): string =>
  [...shaped.slice(0, -1), accountGroups].reduce((left, pattern) => left.replace(pattern, ' '), text);

const accountGroups = /(?<!\w)[a-z]{2}\d{2}(?:[ -](?=[a-z]{0,4}\d)[a-z0-9]{1,4}){2,8}(?!\w)/g;

/** Returns the possible numbers: words may follow an account, so each prefix of its groups is a candidate. */
function numbersIn(written: string): string[] {
  const groups = written.split(/[^a-z0-9+]+/);
  const joined = groups.join('');
  if (!/^[a-z]/.test(written)) return [joined];
  return groups.map((_group, at) => groups.slice(0, at + 1).join(''));
}
