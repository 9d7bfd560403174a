/** Votes that arrive from Slack and from a pull request, signed as their senders sign them. */
import { createHmac } from 'node:crypto';
import { commentPayload } from '../support/fake-pull-requests.ts';
import { ask } from './client.ts';

export interface Click {
  readonly id: string;
  /** The person's Slack id. */
  readonly user: string;
  /** Trigger id, unique for each click. */
  readonly trigger: string;
  readonly action?: 'approve' | 'deny';
  readonly secret?: string;
  /** Slack URL that the outcome is sent to. */
  readonly response?: string;
  /** Comment entered in the dialog. */
  readonly comment?: string;
}

/** Sends a click on a message button whose dialog is confirmed; the outcome is sent to `slackUrl`. */
export async function slackClick(url: string, slackUrl: string, given: Click) {
  const { id, user, trigger, action = 'approve', secret = 'signing-secret', response = '/response' } = given;
  const response_url = slackUrl + response;
  const account = { team: { id: 'T01' }, user: { id: user } };
  const click = {
    type: 'block_actions',
    ...account,
    trigger_id: trigger,
    response_url,
    actions: [{ action_id: action, value: id, action_ts: '1.2' }],
  };
  const clicked = await sendSigned(url, click, secret);
  if (clicked.status !== 200) return clicked;
  const private_metadata = JSON.stringify({ envelope_id: id, verdict: action, response_url });
  const values = { comment: { comment: { value: given.comment ?? null } } };
  const view = { id: `V${trigger}`, callback_id: 'vote', private_metadata, state: { values } };
  return sendSigned(url, { type: 'view_submission', ...account, view }, secret);
}

function sendSigned(url: string, payload: object, secret: string) {
  const raw = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${raw}`).digest('hex')}`;
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': signature,
  };
  return ask<{ text?: string }>(url, 'POST', '/callbacks/slack', { raw, headers });
}

export interface Comment {
  readonly text: string;
  /** Number of the pull request. */
  readonly number: number;
  /** Id of the comment; a redelivered comment has the same id. */
  readonly id: number;
  readonly login?: string;
  readonly secret?: string;
}

/** Delivers a comment on a pull request as the Git host does. */
export function pullRequestComment(url: string, given: Comment) {
  const { text, number, id, login = 'Alice-GH', secret = 'webhook-secret' } = given;
  const raw = JSON.stringify(commentPayload({ text, id, login, number }));
  const headers = {
    'content-type': 'application/json',
    'x-github-event': 'issue_comment',
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`,
  };
  return ask<{ text?: string }>(url, 'POST', '/callbacks/github', { raw, headers });
}
