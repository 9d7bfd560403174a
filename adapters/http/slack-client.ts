/** Posts to Slack's Web API: one message per approval, rewritten once it is decided. */

import { DeliveryRefused } from '#core/approvals/notifications/deliver.ts';
import type { Notifier, SlackOptions, SlackReply } from '#core/approvals/notifications/deliver-ports.ts';
import { slackDigest } from '#core/approvals/slack-digest.ts';
import { type SlackMessage, slackAlert, slackMessage } from '#core/approvals/slack-message.ts';
import { retryAfterSeconds } from './retry-after.ts';

const timeoutMs = 10_000;
const respondTimeoutMs = 5_000;
/** A trigger expires after three seconds. */
const openTimeoutMs = 3_000;

export function slackNotifier(options: SlackOptions): Notifier {
  return {
    async send(_event, row, earlier, place) {
      return written(options, slackMessage(row, options.linkBase, place), earlier);
    },

    sendDigest: (digest, _id, earlier) => written(options, slackDigest(digest, options), earlier),

    async sendAlert(alert) {
      const unfurl = { unfurl_links: false, unfurl_media: false };
      await callSlack(options, 'chat.postMessage', { channel: options.channel, ...slackAlert(alert), ...unfurl });
      return {};
    },
  };
}

/** Updates the message that a receipt names, or posts a new one. Returns its receipt. */
async function written(
  options: SlackOptions,
  message: SlackMessage,
  earlier: Readonly<Record<string, string>> | undefined,
): Promise<Record<string, string>> {
  if (earlier?.channel && earlier.ts) {
    const { channel, ts } = earlier;
    await callSlack(options, 'chat.update', { channel, ts, ...message });
    return { channel, ts };
  }
  const unfurl = { unfurl_links: false, unfurl_media: false };
  const posted = await callSlack(options, 'chat.postMessage', { channel: options.channel, ...message, ...unfurl });
  if (!posted.channel || !posted.ts) throw new Error('Slack answered without channel and ts');
  return { channel: posted.channel, ts: posted.ts };
}

interface SlackAnswer {
  readonly ok?: boolean;
  readonly error?: string;
  readonly channel?: string;
  readonly ts?: string;
}

async function callSlack(
  { apiUrl, token }: Pick<SlackOptions, 'apiUrl' | 'token'>,
  method: string,
  body: object,
  timeout = timeoutMs,
): Promise<SlackAnswer> {
  const response = await fetch(`${apiUrl}/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=utf-8', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
    redirect: 'error',
    signal: AbortSignal.timeout(timeout),
  });
  const answer = (await response.json().catch(() => ({}))) as SlackAnswer;
  if (response.ok && answer.ok === true) return answer;
  // Slack reports faults with status 200 and ok: false.
  const message = `Slack answered ${response.status} ${answer.error ?? ''} to ${method}`.replace('  ', ' ');
  const wait = response.status === 429 ? (retryAfterSeconds(response.headers, Date.now()) ?? 1) : undefined;
  throw wait === undefined ? new Error(message) : new DeliveryRefused(message, wait);
}

/** Opens a dialog for the person whose click gave the trigger. */
export async function openSlackView(
  options: Pick<SlackOptions, 'apiUrl' | 'token'>,
  trigger_id: string,
  view: object,
): Promise<void> {
  await callSlack(options, 'views.open', { trigger_id, view }, openTimeoutMs);
}

/** Reports the result of a click, at the address that Slack sent with it. */
export async function respondToSlack(responseUrl: string, message: SlackReply): Promise<void> {
  const response = await fetch(responseUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ response_type: 'ephemeral', replace_original: false, ...message }),
    redirect: 'error',
    signal: AbortSignal.timeout(respondTimeoutMs),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`Slack answered ${response.status}`);
}
