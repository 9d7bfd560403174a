/** The generic webhook: the approval as JSON, signed over time and body. */
import { DeliveryRefused, type Notifier } from '#core/approvals/deliver.ts';
import { approvalView } from '#core/approvals/views.ts';
import { webhookSignature } from '#core/approvals/webhook-signature.ts';
import { type Clock, isoTime } from '#core/kernel/ports.ts';
import { retryAfterSeconds } from './retry-after.ts';

export { webhookSignature } from '#core/approvals/webhook-signature.ts';

export interface WebhookOptions {
  readonly url: string;
  readonly secret: string;
  readonly adminUrl: string;
  readonly clock: Clock;
}

const timeoutMs = 10_000;

export function webhookNotifier({ url, secret, adminUrl, clock }: WebhookOptions): Notifier {
  return {
    async send(event, row) {
      const now = clock.now();
      const timestamp = String(Math.floor(now / 1000));
      // A repeated delivery carries the same id, so that receivers can tell.
      const id = `${row.envelope_id}#${event}`;
      const body = JSON.stringify({ event, id, sent_at: isoTime(now), approval: approvalView(row, adminUrl, now) });
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-gateway-timestamp': timestamp,
          'x-gateway-signature': webhookSignature(secret, timestamp, body),
        },
        body,
        // A redirect would carry the approval to an address that is not configured.
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      await response.body?.cancel();
      if (response.ok) return {};
      const message = `the webhook answered ${response.status}`;
      const wait = retryAfterSeconds(response.headers, now);
      throw wait === undefined ? new Error(message) : new DeliveryRefused(message, wait);
    },
  };
}
