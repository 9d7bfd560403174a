/** Posts to Slack's Web API: one message per approval, updated once a decision is made. */
import { secretOfChannel } from '#core/approvals/channel-secrets.ts';
import { DeliveryRefusal } from '#core/approvals/notifications/deliver.ts';
import type { Notifier } from '#core/approvals/notifications/deliver-ports.ts';
import type { SendJson } from '#core/execution/credentials/service.ts';
import { retryAfterSeconds } from '#core/kernel/retry-after.ts';
import type { CreateNotifier } from '../feature.ts';
import { slackDigest } from './digest.ts';
import { type SlackMessage, slackAlert, slackMessage } from './message.ts';

interface SlackOptions {
  readonly apiUrl: string;
  readonly channel: string;
  readonly token: string;
  /** Base URL for links in messages. */
  readonly linkBase: string;
  /** URL of the web console, if reviewers can reach one. */
  readonly consoleUrl?: string | undefined;
}

export interface SlackReply {
  readonly text: string;
  readonly blocks?: readonly object[];
}

const timeoutMs = 10_000;
const respondTimeoutMs = 5_000;
/** A trigger expires after three seconds. */
const openTimeoutMs = 3_000;

export const notifier: CreateNotifier = async (ports, { approvals }) => {
  const { slack } = approvals.channels;
  if (!slack?.enabled) return undefined;
  return slackNotifier(ports.notificationClients.sendJson, {
    apiUrl: slack.api_url,
    channel: slack.channel,
    token: await secretOfChannel(ports, slack.bot_token_env),
    linkBase: slack.link_base ?? ports.adminUrl,
    consoleUrl: slack.link_base === undefined ? ports.consoleUrl : undefined,
  });
};

/** Returns the notifier, which posts one message per approval and updates it once a decision is made. */
export function slackNotifier(send: SendJson, options: SlackOptions): Notifier {
  return {
    async send(_event, row, earlier, place) {
      return postOrUpdate(send, options, slackMessage(row, options.linkBase, place), earlier);
    },

    sendDigest: (digest, _id, earlier) => postOrUpdate(send, options, slackDigest(digest, options), earlier),

    async sendAlert(alert) {
      const unfurl = { unfurl_links: false, unfurl_media: false };
      await callSlack(send, options, 'chat.postMessage', { channel: options.channel, ...slackAlert(alert), ...unfurl });
      return {};
    },
  };
}

/** Updates the message named in a receipt, or posts a new one. Returns the message's receipt. */
async function postOrUpdate(
  send: SendJson,
  options: SlackOptions,
  message: SlackMessage,
  earlier: Readonly<Record<string, string>> | undefined,
): Promise<Record<string, string>> {
  if (earlier?.channel && earlier.ts) {
    const { channel, ts } = earlier;
    await callSlack(send, options, 'chat.update', { channel, ts, ...message });
    return { channel, ts };
  }
  const unfurl = { unfurl_links: false, unfurl_media: false };
  const posted = await callSlack(send, options, 'chat.postMessage', {
    channel: options.channel,
    ...message,
    ...unfurl,
  });
  const { channel, ts } = posted;
  if (typeof channel === 'string' && typeof ts === 'string' && channel !== '' && ts !== '') return { channel, ts };
  throw new Error('Slack answered without channel and ts');
}

async function callSlack(
  send: SendJson,
  { apiUrl, token }: Pick<SlackOptions, 'apiUrl' | 'token'>,
  method: string,
  body: object,
  timeout = timeoutMs,
): Promise<Readonly<Record<string, unknown>>> {
  const {
    status,
    headers,
    body: answer,
  } = await send({
    url: `${apiUrl}/${method}`,
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=utf-8', authorization: `Bearer ${token}` },
    body,
    timeoutMs: timeout,
  });
  if (status < 300 && answer?.ok === true) return answer;
  // Slack reports faults with status 200 and ok: false.
  const message = `Slack answered ${status} ${answer?.error ?? ''} to ${method}`.replace('  ', ' ');
  const wait = status === 429 ? (retryAfterSeconds(headers, Date.now()) ?? 1) : undefined;
  throw wait === undefined ? new Error(message) : new DeliveryRefusal(message, wait);
}

/** Opens a dialog for the person whose click produced the trigger. */
export async function openSlackView(
  send: SendJson,
  options: Pick<SlackOptions, 'apiUrl' | 'token'>,
  trigger_id: string,
  view: object,
): Promise<void> {
  await callSlack(send, options, 'views.open', { trigger_id, view }, openTimeoutMs);
}

/** Sends the result of a click to the URL that Slack sent with it; only the person who clicked can see it. */
export async function respondToSlack(send: SendJson, responseUrl: string, message: SlackReply): Promise<void> {
  const { status } = await send({
    url: responseUrl,
    method: 'POST',
    headers: {},
    body: { response_type: 'ephemeral', replace_original: false, ...message },
    timeoutMs: respondTimeoutMs,
  });
  if (status >= 300) throw new Error(`Slack answered ${status}`);
}
