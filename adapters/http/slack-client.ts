/** Slack's Web API: one message per approval, rewritten once it is decided. */
import { DeliveryRefused, type Notifier } from '#core/approvals/deliver.ts';
import { type SlackMessage, slackMessage } from '#core/approvals/slack-message.ts';

const timeoutMs = 10_000;

export interface SlackOptions {
  readonly apiUrl: string;
  readonly channel: string;
  readonly token: string;
  /** Base of links in messages. */
  readonly linkBase: string;
}

export function slackNotifier(options: SlackOptions): Notifier {
  return {
    async send(event, row, earlier) {
      const message = slackMessage(row, options.linkBase);
      const update = event !== 'submitted' && earlier?.ts !== undefined;
      const place = update ? { channel: earlier.channel, ts: earlier.ts } : { channel: options.channel };
      const answer = await callSlack(options, update ? 'chat.update' : 'chat.postMessage', { ...place, ...message });
      return { channel: answer.channel ?? options.channel, ts: answer.ts ?? earlier?.ts ?? '' };
    },
  };
}

async function callSlack({ apiUrl, token }: SlackOptions, method: string, body: object): Promise<{ channel?: string; ts?: string }> {
  const response = await fetch(`${apiUrl}/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=utf-8', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (response.status === 429) {
    throw new DeliveryRefused('Slack asks to wait', Number(response.headers.get('retry-after') ?? '1') || 1);
  }
  const answer = (await response.json().catch(() => ({}))) as { ok?: boolean; error?: string; channel?: string; ts?: string };
  if (!response.ok || answer.ok !== true) throw new Error(`Slack answered ${response.status} ${answer.error ?? ''}`.trim());
  return answer;
}

/** Tells the clicker what became of the click, at the address Slack gave for it. */
export async function respondToSlack(responseUrl: string, text: SlackMessage['text']): Promise<void> {
  const response = await fetch(responseUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ response_type: 'ephemeral', replace_original: false, text }),
    redirect: 'error',
    signal: AbortSignal.timeout(2_000),
  });
  if (!response.ok) throw new Error(`Slack answered ${response.status}`);
}
