/** Slack dialog to confirm a vote, and the buttons that replace it if it does not open [slack.confirmed]. */
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { carriedOf, type SlackClick, voteDialog } from './interaction.ts';
import type { SlackMessage } from './message.ts';
import { code } from './text.ts';

const words = {
  approve: { title: 'Approve this call', button: 'Approve', style: 'primary' },
  deny: { title: 'Deny this call', button: 'Deny', style: 'danger' },
} as const;

/** Returns a modal (Block Kit view) with the call and an optional comment. */
export function voteView(row: ApprovalRow, click: SlackClick): object {
  const { title, button } = words[click.verdict];
  return {
    type: 'modal',
    callback_id: voteDialog.callbackId,
    private_metadata: carriedOf(click),
    title: plainText(title),
    submit: plainText(button),
    close: plainText('Cancel'),
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text: callLines(row) } },
      {
        type: 'input',
        block_id: voteDialog.block,
        optional: true,
        label: plainText('Comment'),
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

/** Returns a message to the person who clicked, with one button that Slack asks them to confirm. */
export function confirmMessage(row: ApprovalRow, { verdict, envelope_id }: SlackClick): SlackMessage {
  const { title, button, style } = words[verdict];
  const text = `Not decided yet: the dialog did not open. Confirm here, without a comment.\n${callLines(row)}`;
  const confirm = {
    title: plainText(title),
    text: plainText(`Digest ${row.call_digest.slice(0, 16)}`),
    confirm: plainText(button),
    deny: plainText('Cancel'),
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
            text: plainText(button),
            value: envelope_id,
            confirm,
          },
        ],
      },
    ],
  };
}

/**
 * Returns the lines that describe the call. They show the random end of the id, because UUIDv7s from the same minute
 * begin alike.
 */
function callLines({ tool, target, envelope_id, call_digest }: ApprovalRow): string {
  const lines = [
    `Tool: ${code(tool, 250)}`,
    `Target: ${code(target, 400)}`,
    `Request: ${code(`…${envelope_id.slice(-8)}`, 20)}, digest ${code(call_digest.slice(0, 16), 16)}`,
  ];
  return lines.join('\n');
}

const plainText = (text: string) => ({ type: 'plain_text', text });
