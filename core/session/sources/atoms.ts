/**
 * The atoms of a text: what is compared when a value is looked for in it. Case, blanks and the marks between atoms do not
 * count; a changed letter, dot or `@` does. Look-alike letters stay different: what only looks like the person's word is
 * not it [provenance.forms].
 */

/** Marks that end an atom. Dots, `@`, hyphens, underscores, `+`, `~`, `%`, `*` and `$` stay inside. */
const between = /[\s,;:!?¿¡"'`´‘’“”„«»‹›<>()[\]{}|\\/#&=^§•…–—]+/u;
const thousands = /(?<![\w.,])(\d{1,3}(?:,\d{3})+)(\.\d+)?(?![\w,])/g;
/** Two groups and more, so neither a decimal nor a version; four of at most 255 are an address of a network. */
const dottedThousands = /(?<![\w.,])\d{1,3}(?:\.\d{3}){2,}(?![\w.,])/g;
const germanNumber = /(?<![\w.,])(\d{1,3}(?:\.\d{3})+|\d+),(\d{1,2})(?![\w.,])/g;
const number = /^[-+]?[$€£]?(\d{1,15})(\.\d{1,9})?[€%]?$/;
const trailing: ReadonlySet<string> = new Set('.…*_~-');

/** In order. */
export function atomsOf(text: string): string[] {
  return normal(text).split(between).flatMap(partsOf);
}

/** NFKC and lower case; numbers without separators of thousands. */
export function normal(text: string): string {
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

/** A name of words (`weekly-report`, `weekly_report`) is its words; an address, a host or a file name is one atom. */
function partsOf(raw: string): string[] {
  const atom = withoutEnd(raw);
  if (atom === '') return [];
  const amount = number.exec(atom);
  if (amount) return [numberOf(atom, amount)];
  if (/[.@*%+]/.test(atom) || !/[-_]/.test(atom)) return [atom];
  const words = atom.split(/[-_]+/).filter((word) => word !== '');
  // A leading hyphen makes an option of a word.
  return atom.startsWith('-') ? [atom] : words.flatMap(partsOf);
}

/** Marks at the end are those of a sentence. One pass: a pattern would look at a long run of marks again and again. */
function withoutEnd(raw: string): string {
  let end = raw.length;
  while (end > 0 && trailing.has(raw[end - 1]!)) end--;
  return end === raw.length ? raw : raw.slice(0, end);
}

/** `$1000.50` is 1000.5; a number with leading zeros is a name. */
function numberOf(atom: string, [, whole = '', fraction = '']: RegExpExecArray): string {
  if (/^0\d/.test(whole)) return atom;
  const sign = atom.startsWith('-') ? '-' : '';
  const cut = fraction.replace(/0+$/, '');
  return `${sign}${whole}${cut === '.' ? '' : cut}`;
}
