/** Makes text from agents safe to look at: what is invisible, or moves other text about, is spelled out. */

/**
 * A character that is spelled out: anything that is not known to leave ink. Known are letters, numbers, punctuation, symbols, marks
 * on one of these, and the space; without what Unicode lets a font ignore (fillers, joiners, tags) and the blanks among the rest.
 * The selector U+FE0F is part of an emoji.
 */
export const unseen =
  /(?:(?![\p{L}\p{N}\p{P}\p{S}\p{M} ])|(?=[\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{13441}\u{13442}\u{16fe4}\u{1d159}])(?!(?<=[\p{Emoji}])\ufe0f)|(?<![\p{L}\p{N}\p{S}\p{M}])(?=\p{M}))./gsu;

/** One line of text; `\n` becomes a space, other unseen characters `\u{…}`: a reviewer sees that they are there. */
export function visibleText(text: string): string {
  return text.replace(unseen, (char) => (char === '\n' || char === '\t' ? ' ' : codePoint(char)));
}

/** One line in which no two texts look alike: line feeds, tabs and a written `\u{` are spelled out as well. */
export const spelledText = (text: string): string =>
  text.replace(/[\n\t]|\\(?=u\{)/g, codePoint).replace(unseen, codePoint);

const codePoint = (char: string): string => `\\u{${char.codePointAt(0)!.toString(16)}}`;

/** Like `visible`, for text over several lines: line feeds stay. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visibleText).join('\n');
}

/** At most `length` characters, saying how many are left out. Never cuts a surrogate pair. */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  const kept = text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
  return `${kept}… (${text.length - kept.length} more characters)`;
}
