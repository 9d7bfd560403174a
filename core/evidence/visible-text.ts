/** Makes text from agents safe to look at: what is invisible, or moves other text about, is spelled out. */

// C0 and C1 controls, zero-width and bidirectional formatting, line separators, tags, lone surrogates.
const unseen = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]|\p{Cs}/gu;

/** One line of text; `\n` becomes a space, other unseen characters `\u{…}`: a reviewer sees that they are there. */
export function visibleText(text: string): string {
  return text.replace(unseen, (char) => (char === '\n' || char === '\t' ? ' ' : codePoint(char)));
}

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
