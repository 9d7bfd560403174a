/** Creates the clients that send notifications over HTTP and answer those who vote. */
import type { NotificationClients, WebhookOptions } from '#core/approvals/notifications/deliver-ports.ts';
import type { EvaluationMessage } from '#core/observatory/evaluation/message.ts';
import { type Score, scoreOf } from '#core/observatory/evaluation/score.ts';
import { serviceJson } from './service-json.ts';
import { postSigned, webhookNotifier } from './webhook-sender.ts';

const maxBytes = 64 * 1024;

/**
 * Sends the call.
 * @param unread receives the reason why a reply was ignored: too long, or malformed. The call is not sent again for
 * that.
 * @throws Error if the evaluator did not take the call.
 */
async function askEvaluator(
  options: Pick<WebhookOptions, 'url' | 'secret' | 'clock'>,
  message: EvaluationMessage,
  unread: (why: string) => void,
): Promise<Score | undefined> {
  const { body } = await postSigned(options, message);
  const text = await beginning(body);
  if (text === undefined) return void unread(`the evaluator's reply is longer than ${maxBytes} bytes`);
  try {
    return scoreOf(text);
  } catch (wrong) {
    return void unread((wrong as Error).message);
  }
}

/** Returns the whole body; undefined for a longer one, which is not read further. */
async function beginning(body: ReadableStream<Uint8Array> | null): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.length;
    if (bytes > maxBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

export const notificationClients: NotificationClients = {
  webhook: webhookNotifier,
  sendJson: serviceJson,
  askEvaluator,
};
