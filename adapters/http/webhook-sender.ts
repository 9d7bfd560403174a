/** The generic webhook: the approval as JSON, signed with HMAC-SHA256 over `timestamp.body`. */
import { createHmac } from 'node:crypto';
import { DeliveryRefused, type Notifier } from '#core/approvals/deliver.ts';
import { approvalView } from '#core/approvals/views.ts';
import type { Clock } from '#core/kernel/ports.ts';

export interface WebhookOptions {
  readonly url: string;
  readonly secret: string;
  readonly adminUrl: string;
  readonly clock: Clock;
}

export const webhookSignature = (secret: string, timestamp: string, body: string): string =>
  `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;

export function webhookNotifier({ url, secret, adminUrl, clock }: WebhookOptions): Notifier {
  return {
    async send(event, row) {
      const timestamp = String(Math.floor(clock.now() / 1000));
      const body = JSON.stringify({ event, id: `${row.envelope_id}#${event}`, approval: approvalView(row, adminUrl) });
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-gateway-timestamp': timestamp,
          'x-gateway-signature': webhookSignature(secret, timestamp, body),
        },
        body,
        redirect: 'error',
        signal: AbortSignal.timeout(10_000),
      });
      await response.body?.cancel();
      const wait = Number(response.headers.get('retry-after'));
      if (!response.ok && wait > 0) throw new DeliveryRefused(`the webhook answered ${response.status}`, wait);
      if (!response.ok) throw new Error(`the webhook answered ${response.status}`);
      return {};
    },
  };
}
