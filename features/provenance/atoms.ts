/**
 * Splits text into atoms, the units used to compare a value with text. Case, whitespace and separators do not count; a
 * different letter, dot or `@` does. Look-alike letters remain different, since they are not the letters that the
 * person wrote [provenance.traced].
 */

/** Separators of atoms. Dots, `@`, hyphens, underscores, `+`, `~`, `%`, `*` and `$` stay inside an atom. */
const separator = /[\s,;:!?¿¡"'`´‘’“”„«»‹›<>()[\]{}|\\/#&=^§•…–—]+/u;
const thousands = /(?<![\w.,])(\d{1,3}(?:,\d{3})+)(\.\d+)?(?![\w,])/g;
/**
 * Requires at least two groups of thousands, which excludes decimals and versions. Four groups up to 255 form a network
 * address.
 */
const dottedThousands = /(?<![\w.,])\d{1,3}(?:\.\d{3}){2,}(?![\w.,])/g;
const germanNumber = /(?<![\w.,])(\d{1,3}(?:\.\d{3})+|\d+),(\d{1,2})(?![\w.,])/g;
const number = /^[-+]?[$€£]?(\d{1,15})(\.\d{1,9})?[€%]?$/;
const trailing: ReadonlySet<string> = new Set('.…*_~-');

/** Returns a text's atoms, in order. */
export function atomsOf(text: string): string[] {
  return normalizeText(text).split(separator).flatMap(splitCompound);
}

/** Normalises text: NFKC, lower case, numbers without thousands separators. */
export function normalizeText(text: string): string {
  const folded = text.normalize('NFKC').toLowerCase().replace(dottedThousands, withoutDots);
  if (!folded.includes(',')) return folded;
  return folded
    .replace(germanNumber, (_all, whole: string, cents: string) => `${whole.replaceAll('.', '')}.${cents}`)
    .replace(thousands, (_all, whole: string, rest = '') => whole.replaceAll(',', '') + rest);
}

function withoutDots(written: string): string {
  const groups = written.split('.');
  return groups.length === 4 && groups.every((group) => Number(group) <= 255) ? written : groups.join('');
}

/**
 * Splits a compound name (`weekly-report`, `weekly_report`) into words. An address, a host or a file name is one atom.
 */
function splitCompound(raw: string): string[] {
  const atom = withoutEnd(raw);
  if (atom === '') return [];
  const amount = number.exec(atom);
  if (amount) return [numberOf(atom, amount)];
  if (/[.@*%+]/.test(atom) || !/[-_]/.test(atom)) return [atom];
  const words = atom.split(/[-_]+/).filter((word) => word !== '');
  // A leading hyphen turns a word into an option.
  return atom.startsWith('-') ? [atom] : words.flatMap(splitCompound);
}

/** Removes trailing punctuation in a single pass, since a regular expression would rescan long runs. */
function withoutEnd(raw: string): string {
  let end = raw.length;
  while (end > 0 && trailing.has(raw[end - 1]!)) end--;
  return end === raw.length ? raw : raw.slice(0, end);
}

/** Normalises a number: `$1000.50` becomes 1000.5. A number with leading zeros counts as a name. */
function numberOf(atom: string, [, whole = '', fraction = '']: RegExpExecArray): string {
  if (/^0\d/.test(whole)) return atom;
  const sign = atom.startsWith('-') ? '-' : '';
  const cut = fraction.replace(/0+$/, '');
  return `${sign}${whole}${cut === '.' ? '' : cut}`;
}
