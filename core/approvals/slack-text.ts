/** Texts for Slack's mrkdwn, within the lengths that Slack takes. */
import { visibleLines, visibleText } from '#core/text/secrets/visible-text.ts';

/** Slack refuses a section whose text is longer, and a message of more than 50 blocks. */
export const maxSection = 3000;

export const code = (text: string, room: number) => `\`${fitted(visibleText(text), room, '\\u{60}') || '—'}\``;

/** In JSON a backtick may be written `\u0060`: the fence holds, and what is shown still parses to the same value. */
export const codeBlock = (json: string, room: number) =>
  `\`\`\`${fitted(visibleLines(json), room - 6, '\\u0060')}\`\`\``;

/** Whether `fitted` cuts nothing. */
export const fits = (text: string, room: number, backtick = '`'): boolean =>
  text.length <= room && fitted(visibleText(text), room, backtick) === fitted(visibleText(text), 10 * room, backtick);

const leftOut = (count: number) => `… (${count} more characters, see details)`;

/**
 * Text for mrkdwn that takes at most `room` characters once escaped; says how much was left out. Slack's three control
 * characters become entities, which are never cut in two.
 */
export function fitted(text: string, room: number, backtick = '`'): string {
  const cut = room - leftOut(text.length).length;
  let [whole, kept, characters] = ['', 0, 0];
  for (const char of text) {
    const next = escaped(char, backtick);
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

/** Slack's three control characters become entities. */
export const escaped = (char: string, backtick: string): string =>
  ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '`': backtick })[char] ?? char;

/** As many lines as fit, and how many do not. */
export function listed(title: string, lines: readonly string[]): string {
  let text = title;
  for (const [index, line] of lines.entries()) {
    if (text.length + line.length > maxSection - 100) return `${text}\n… ${lines.length - index} more, see details`;
    text += `\n${line}`;
  }
  return text;
}
