/** Formats text for Slack's mrkdwn within Slack's length limits. */
import { visibleLines, visibleText } from '#core/text/secrets/visible-text.ts';

/** Maximum number of characters in a section. Slack also refuses messages with more than 50 blocks. */
export const maxSection = 3000;

/** Form of a backtick within inline code. */
const tick = '\\u{60}';

export const code = (text: string, room: number) => `\`${fitText(visibleText(text), room, tick) || '—'}\``;

/**
 * Returns JSON as a code block. Backticks become `\u0060`, which keeps the fence intact and parses to the same value.
 */
export const codeBlock = (json: string, room: number) =>
  `\`\`\`${fitText(visibleLines(json), room - 6, '\\u0060')}\`\`\``;

/** Checks whether `fitted` would keep the whole text. */
export const fitsWhole = (text: string, room: number): boolean =>
  text.length <= room && fitText(visibleText(text), room, tick) === fitText(visibleText(text), 10 * room, tick);

const leftOut = (count: number) => `… (${count} more characters, see details)`;

/**
 * Escapes text for mrkdwn and truncates it to `room` escaped characters, with a truncation note. Entities are never
 * split.
 */
export function fitText(text: string, room: number, backtick = '`'): string {
  const cut = room - leftOut(text.length).length;
  let [whole, kept, characters] = ['', 0, 0];
  for (const char of text) {
    const next = escapeCharacter(char, backtick);
    if (whole.length + next.length <= cut) [kept, characters] = [whole.length + next.length, characters + 1];
    whole += next;
    if (whole.length > room) return whole.slice(0, Math.max(0, kept)) + leftOut(codePoints(text) - characters);
  }
  return whole;
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Escapes a character: Slack's three control characters become entities. */
export const escapeCharacter = (char: string, backtick: string): string =>
  ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '`': backtick })[char] ?? char;

/** Returns the lines that fit, and the number of remaining lines. */
export function listThatFits(title: string, lines: readonly string[]): string {
  let text = title;
  for (const [index, line] of lines.entries()) {
    if (text.length + line.length > maxSection - 100) return `${text}\n… ${lines.length - index} more, see details`;
    text += `\n${line}`;
  }
  return text;
}
