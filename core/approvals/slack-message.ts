/**
 * The Slack message of an approval (Block Kit): what is asked, by whom, under which rule. Buttons carry the id alone.
 * Everything an agent wrote stands in code, where it can neither format, mention nor pass for a line of ours.
 */
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { visible, visibleLines } from '#core/evidence/visible-text.ts';
import { headlineOf } from './headline.ts';
import { approvalUrl } from './views.ts';

export interface SlackMessage {
  /** What notifications show, and clients without blocks. */
  readonly text: string;
  readonly blocks: readonly object[];
}

/** Slack refuses a section whose text is longer. */
const maxSection = 3000;

export function slackMessage(row: ApprovalRow, linkBase: string): SlackMessage {
  const text = `${fitted(visible(row.tool), 250)} on ${fitted(visible(row.target), 400)}: ${headline(row)}`;
  const section = { type: 'section', text: { type: 'mrkdwn', text: details(row, linkBase) } };
  return { text, blocks: row.status === 'pending' ? [section, buttons(row)] : [section] };
}

/** Parameters come last and get the room that is left, so that no length of theirs pushes out rule, digest or link. */
function details(row: ApprovalRow, linkBase: string): string {
  const lines = [
    `*${headline(row)}*`,
    `Tool ${code(row.tool, 250)} on ${code(row.target, 400)}, capability ${code(row.capability, 100)}`,
    `Asked by ${code(row.actor.agent, 150)} in session ${code(row.session_id, 130)}, rule ${code(row.matched_rule, 250)}`,
    ...(row.justification === '' ? [] : [`Why: ${code(row.justification, 400)}`]),
    ...(row.withheld.length === 0 ? [] : [`Withheld as sensitive: ${code(row.withheld.join(', '), 200)}`]),
    `Digest ${code(row.call_digest.slice(0, 16), 16)}, <${approvalUrl(linkBase, row.envelope_id)}|details>`,
  ];
  const head = `${lines.join('\n')}\nParameters:\n`;
  return head + codeBlock(JSON.stringify(row.parameters, null, 1), maxSection - head.length);
}

const headline = (row: ApprovalRow) => headlineOf(row, (text, room) => fitted(visible(text), room));

const code = (text: string, room: number) => `\`${fitted(visible(text), room, '\\u{60}') || '—'}\``;

/** In JSON a backtick may be written `\u0060`: the fence holds, and what is shown still parses to the same value. */
const codeBlock = (json: string, room: number) => `\`\`\`${fitted(visibleLines(json), room - 6, '\\u0060')}\`\`\``;

const leftOut = (count: number) => `… (${count} more characters, see details)`;

/**
 * Text for mrkdwn that takes at most `room` characters once escaped; says how much was left out. Slack's three control
 * characters become entities, which are never cut in two.
 */
function fitted(text: string, room: number, backtick = '`'): string {
  const parts = Array.from(text, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '`': backtick })[char] ?? char);
  const whole = parts.join('');
  if (whole.length <= room) return whole;
  let kept = '';
  let count = 0;
  const limit = room - leftOut(parts.length).length;
  while (kept.length + parts[count]!.length <= limit) kept += parts[count++];
  return kept + leftOut(parts.length - count);
}

const buttons = (row: ApprovalRow) => ({
  type: 'actions',
  elements: [button(row, 'approve', 'Approve', 'primary'), button(row, 'deny', 'Deny', 'danger')],
});

const button = (row: ApprovalRow, action_id: string, label: string, style: string) => ({
  type: 'button',
  action_id,
  style,
  text: { type: 'plain_text', text: label },
  value: row.envelope_id,
});
