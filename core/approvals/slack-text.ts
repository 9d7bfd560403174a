/** Texts for Slack's mrkdwn, within the lengths that Slack takes. */
import { visibleLines, visibleText } from '#core/evidence/visible-text.ts';

/** Slack refuses a section whose text is longer, and a message of more than 50 blocks. */
export const maxSection = 3000;

export const code = (text: string, room: number) => `\`${fitted(visibleText(text), room, '\\u{60}') || '—'}\``;

/** In JSON a backtick may be written `\u0060`: the fence holds, and what is shown still parses to the same value. */
export const codeBlock = (json: string, room: number) =>
  `\`\`\`${fitted(visibleLines(json), room - 6, '\\u0060')}\`\`\``;

const leftOut = (count: number) => `… (${count} more characters, see details)`;

/**
 * Text for mrkdwn that takes at most `room` characters once escaped; says how much was left out. Slack's three control
 * characters become entities, which are never cut in two.
 */
export function fitted(text: string, room: number, backtick = '`'): string {
  const parts = Array.from(text, (char) => escaped(char, backtick));
  const whole = parts.join('');
  if (whole.length <= room) return whole;
  let kept = '';
  let count = 0;
  const limit = room - leftOut(parts.length).length;
  while (kept.length + parts[count]!.length <= limit) kept += parts[count++];
  return kept + leftOut(parts.length - count);
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
