/** Finds terminal sequences that have effects. Colours and the control sequences of progress lines are accepted. */
import type { TextFinding } from './finding.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const introducer = /[\u001b\u009b\u009d\u0090]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const control = /(?:\u001b\[|\u009b)([0-9;?<=>]{0,32})([@-~])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const strings = /(?:\u001b[\]P_^X]|[\u009d\u0090])[^\u0007\u001b\u009c\n]{0,4096}(?:\u0007|\u001b\\|\u009c)?/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const single = /\u001b[c=>78NOno]/g;
/**
 * Reports whether a sequence is harmless: colours and weights (m), except for concealed text; erasing a line; moving a
 * few lines up or down; showing or hiding the cursor.
 */
const isHarmless = (numbers: string, final: string): boolean => {
  if (final === 'm') return !/(?:^|;)8(?:;|$)/.test(numbers) || /(?:^|;)[34]8;/.test(numbers);
  if (final === 'K' || final === 'G') return true;
  if (final === 'A' || final === 'B') return numbers === '' || Number(numbers) <= 3;
  return (final === 'h' || final === 'l') && numbers === '?25';
};
/** Links to files, as written by `ls --hyperlink` and compilers. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const fileLink = /^\u001b\]8;[^;]{0,64};(?:file:|[\u0007\u001b]|$)/;

export function* terminalEscapes(text: string): Iterable<TextFinding<'terminal_escape'>> {
  if (!introducer.test(text)) return;
  for (const match of text.matchAll(control))
    if (!isHarmless(match[1]!, match[2]!))
      yield finding(
        match,
        'An escape sequence that moves the cursor, erases or conceals text, or queries the terminal.',
      );
  for (const match of text.matchAll(strings))
    if (!fileLink.test(match[0]))
      yield finding(match, 'An escape string that sets the terminal title, links or clipboard.');
  for (const match of text.matchAll(single))
    yield finding(match, 'An escape sequence that resets or switches the terminal.');
}

const finding = (match: RegExpExecArray, description: string): TextFinding<'terminal_escape'> => ({
  kind: 'terminal_escape',
  description,
  severity: 'high',
  start: match.index,
  end: match.index + match[0].length,
});
