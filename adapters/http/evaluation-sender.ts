/** Sends a chat call to its evaluator and reads what it thinks of it [evaluation.webhook]. */

import type { WebhookOptions } from '#core/approvals/notifications/deliver-ports.ts';
import type { EvaluationMessage } from '#core/observatory/evaluation/message.ts';
import { type Score, scoreOf } from '#core/observatory/evaluation/message.ts';
import { postSigned } from './webhook-sender.ts';

const maxBytes = 64 * 1024;

/**
 * @param unread takes why a reply was left aside: too long, or not what it should be. The call is not sent again for that.
 * @throws Error when the evaluator did not take the call.
 */
export async function askEvaluator(
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

/** The whole of a body; undefined for a longer one, of which no more is read. */
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
