/** The Slack message of an approval (Block Kit): what is asked, by whom, under which rule. Buttons carry the id alone. */
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { approvalUrl } from './views.ts';

const maxValue = 1500;

/** Slack's three control characters; everything else is shown as it is, inside a code span. */
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** One line of hostile text: backticks would end the code span, line breaks would fake further lines. */
const code = (text: string) => `\`${escaped(cut(text)).replaceAll('`', "'").replaceAll(/\s+/g, ' ') || '—'}\``;
const cut = (text: string) => (text.length > maxValue ? `${text.slice(0, maxValue)}…` : text);

export interface SlackMessage {
  readonly text: string;
  readonly blocks: readonly object[];
}

export function slackMessage(row: ApprovalRow, linkBase: string): SlackMessage {
  const text = `${row.tool} on ${row.target}: ${headline(row)}`;
  const parameters = JSON.stringify(row.parameters, null, 1);
  const withheld = row.withheld.length === 0 ? '' : `\nWithheld as sensitive: ${code(row.withheld.join(', '))}`;
  const lines = [
    `*${headline(row)}*`,
    `Tool ${code(row.tool)} on ${code(row.target)}, capability ${code(row.capability)}`,
    `Asked by ${code(row.actor.agent)} in session ${code(row.session_id)}, rule ${code(row.matched_rule)}`,
    row.justification === '' ? '' : `Why: ${code(row.justification)}`,
    `Parameters:\n\`\`\`${escaped(cut(parameters)).replaceAll('```', "'''")}\`\`\`${withheld}`,
    `Digest ${code(row.call_digest.slice(0, 16))}, <${approvalUrl(linkBase, row.envelope_id)}|details>`,
  ];
  const section = { type: 'section', text: { type: 'mrkdwn', text: lines.filter((line) => line !== '').join('\n').slice(0, 2990) } };
  return { text: escaped(cut(text)), blocks: row.status === 'pending' ? [section, buttons(row)] : [section] };
}

function headline(row: ApprovalRow): string {
  if (row.status === 'pending') return `Approval needed before ${row.expires_at}`;
  if (row.reason === 'timeout') return 'Denied: nobody decided in time';
  const verdict = row.status === 'denied' ? 'Denied' : 'Approved';
  return `${verdict} by ${escaped(row.person ?? row.reviewer ?? 'somebody')}${row.comment ? `: ${escaped(cut(row.comment))}` : ''}`;
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
