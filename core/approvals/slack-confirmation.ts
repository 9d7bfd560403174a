/** Slack's dialog that a vote is confirmed in, and the buttons that replace it if no dialog opens [slack.confirmed]. */
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { carriedOf, type SlackClick, voteDialog } from './slack.ts';
import type { SlackMessage } from './slack-message.ts';
import { code } from './slack-text.ts';

const words = {
  approve: { title: 'Approve this call', button: 'Approve', style: 'primary' },
  deny: { title: 'Deny this call', button: 'Deny', style: 'danger' },
} as const;

/** A modal (Block Kit view) that names the call and takes an optional comment. */
export function voteView(row: ApprovalRow, click: SlackClick): object {
  const { title, button } = words[click.verdict];
  return {
    type: 'modal',
    callback_id: voteDialog.callbackId,
    private_metadata: carriedOf(click),
    title: plain(title),
    submit: plain(button),
    close: plain('Cancel'),
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text: callLines(row) } },
      {
        type: 'input',
        block_id: voteDialog.block,
        optional: true,
        label: plain('Comment'),
        element: {
          type: 'plain_text_input',
          action_id: voteDialog.action,
          multiline: true,
          max_length: voteDialog.maxComment,
        },
      },
    ],
  };
}

/** A message to the clicker with one button, which Slack asks to confirm. */
export function confirmMessage(row: ApprovalRow, { verdict, envelope_id }: SlackClick): SlackMessage {
  const { title, button, style } = words[verdict];
  const text = `Not decided yet: the dialog did not open. Confirm here, without a comment.\n${callLines(row)}`;
  const confirm = {
    title: plain(title),
    text: plain(`Digest ${row.call_digest.slice(0, 16)}`),
    confirm: plain(button),
    deny: plain('Cancel'),
    style,
  };
  return {
    text: 'Not decided yet: the dialog did not open. Confirm below.',
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text } },
      {
        type: 'actions',
        elements: [
          {
            type: 'button',
            action_id: `confirmed_${verdict}`,
            style,
            text: plain(button),
            value: envelope_id,
            confirm,
          },
        ],
      },
    ],
  };
}

/** The random end of the id tells requests of the same minute apart; a UUIDv7 begins with its time. */
function callLines({ tool, target, envelope_id, call_digest }: ApprovalRow): string {
  const lines = [
    `Tool: ${code(tool, 250)}`,
    `Target: ${code(target, 400)}`,
    `Request: ${code(`…${envelope_id.slice(-8)}`, 20)}, digest ${code(call_digest.slice(0, 16), 16)}`,
  ];
  return lines.join('\n');
}

const plain = (text: string) => ({ type: 'plain_text', text });
