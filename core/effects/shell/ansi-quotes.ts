/** Parses text in `$'…'` with its C escapes, as bash does. */
import { UnreadableSyntax } from './syntax.ts';

const cEscape = /\\(?:x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|[0-7]{1,3}|[abeEfnrtv\\'"?])/y;

/**
 * Parses the text from `start`, the index after the opening quote. @returns the text and the index of the closing
 * quote. @throws Unreadable
 */
export function ansiQuoted(source: string, start: number): { readonly text: string; readonly end: number } {
  let text = '';
  let at = start;
  for (let char = source[at]; char !== "'"; char = source[at]) {
    cEscape.lastIndex = at;
    const sequence = cEscape.exec(source)?.[0];
    if (sequence === undefined && (char === undefined || char === '\\'))
      throw new UnreadableSyntax("$'…' contains an unknown escape sequence");
    text += sequence === undefined ? char : ansiChar(sequence.slice(1));
    at += sequence === undefined ? 1 : sequence.length;
  }
  return { text, end: at };
}

const ansiLetters: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  E: '\u001b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

function ansiChar(sequence: string): string {
  const letter = ansiLetters[sequence];
  if (letter !== undefined) return letter;
  if (/^['"?\\]$/.test(sequence)) return sequence;
  const [digits, base] = /^[xuU]/.test(sequence) ? [sequence.slice(1), 16] : [sequence, 8];
  const code = Number.parseInt(digits!, base as number);
  // Some shells end the text at a NUL, and the meaning of bytes beyond ASCII depends on the locale.
  if (code === 0 || (code > 0x7f && !/^[uU]/.test(sequence)) || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
    throw new UnreadableSyntax("$'…' contains a character that shells read differently");
  return String.fromCodePoint(code);
}
