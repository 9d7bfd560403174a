/** Sends the generic webhook: the approval as JSON, with a signature over the time and body. */

import { approvalsUrl, approvalUrl } from '#core/approvals/approval-url.ts';
import { DeliveryRefusal } from '#core/approvals/notifications/deliver.ts';
import type { Notifier, WebhookOptions } from '#core/approvals/notifications/deliver-ports.ts';
import { webhookSignature } from '#core/approvals/notifications/webhook-signature.ts';
import { approvalView } from '#core/approvals/views.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { retryAfterSeconds } from '#core/kernel/retry-after.ts';

const timeoutMs = 10_000;

/**
 * Posts a signed message. Returns a successful reply with its body unread.
 * @throws DeliveryRefused if the receiver specified a time to wait; Error for any other response, a redirect, or a
 * timeout of 10 s.
 */
export async function postSigned(
  { url, secret, clock }: Pick<WebhookOptions, 'url' | 'secret' | 'clock'>,
  message: object,
): Promise<Response> {
  const now = clock.now();
  const timestamp = String(Math.floor(now / 1000));
  const body = JSON.stringify(message);
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-gateway-timestamp': timestamp,
      'x-gateway-signature': webhookSignature(secret, timestamp, body),
    },
    body,
    // A redirect would carry the message to an address that is not configured.
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (response.ok) return response;
  await response.body?.cancel();
  const refusal = `the webhook answered ${response.status}`;
  const wait = retryAfterSeconds(response.headers, now);
  throw wait === undefined ? new Error(refusal) : new DeliveryRefusal(refusal, wait);
}

export function webhookNotifier({ adminUrl, policyEvents, ...options }: WebhookOptions): Notifier {
  const { clock } = options;
  /** @param message contains an id that repeated deliveries share, so that receivers can recognise duplicates */
  async function post(message: object): Promise<Record<string, string>> {
    const response = await postSigned(options, message);
    await response.body?.cancel();
    return {};
  }

  return {
    send(event, row, _earlier, place) {
      const now = clock.now();
      const id = `${row.envelope_id}#${event}`;
      return post({ event, id, sent_at: isoTime(now), approval: approvalView(row, adminUrl, now, place) });
    },

    async sendPolicyEvent({ id, event, tenant }, { evidence_hash, violation }) {
      if (!policyEvents.some((wanted) => wanted === event)) return {};
      return post({ event, id, sent_at: isoTime(clock.now()), tenant, evidence_hash, violation });
    },

    sendDigest(digest, id) {
      const requests = digest.requests.map((request) => ({
        ...request,
        approval_url: approvalUrl(adminUrl, request.envelope_id),
      }));
      const sent = { ...digest, requests, approvals_url: approvalsUrl(adminUrl) };
      return post({ event: 'digest', id, sent_at: isoTime(clock.now()), digest: sent });
    },

    sendAlert: ({ change, ...alert }) =>
      post({
        event: 'alert',
        id: `${alert.id}#${change}#${alert.severity}`,
        sent_at: isoTime(clock.now()),
        change,
        alert,
      }),
  };
}
