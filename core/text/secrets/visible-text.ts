/** Makes text from agents safe to display by spelling out characters that are invisible or reorder text. */

/**
 * Matches the characters to spell out: all that are not known to be visible. Visible characters are letters, numbers,
 * punctuation, symbols, marks on one of these, and the space. Characters that fonts may ignore (fillers, joiners, tags)
 * and other blanks are not. The selector U+FE0F is part of an emoji.
 */
export const unseen =
  /(?:(?![\p{L}\p{N}\p{P}\p{S}\p{M} ])|(?=[\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{13441}\u{13442}\u{16fe4}\u{1d159}])(?!(?<=[\p{Emoji}])\ufe0f)|(?<![\p{L}\p{N}\p{S}\p{M}])(?=\p{M}))./gsu;

/** Converts text to one line. `\n` and tabs become a space, and other unseen characters become a visible `\u{…}`. */
export function visibleText(text: string): string {
  return text.replace(unseen, (char) => (char === '\n' || char === '\t' ? ' ' : codePoint(char)));
}

/** Converts text to one unambiguous line, which also spells out line feeds, tabs and a literal `\u{`. */
export const spelledText = (text: string): string =>
  text.replace(/[\n\t]|\\(?=u\{)/g, codePoint).replace(unseen, codePoint);

const codePoint = (char: string): string => `\\u{${char.codePointAt(0)!.toString(16)}}`;

/** Converts text like `visibleText`, but keeps line feeds. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visibleText).join('\n');
}

/** Shortens text to `length` characters and appends the number of omitted characters. Never splits a surrogate pair. */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  const kept = text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
  return `${kept}… (${text.length - kept.length} more characters)`;
}
