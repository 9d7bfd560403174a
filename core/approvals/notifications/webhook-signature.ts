/**
 * Signature of the gateway's webhooks: `v1=` followed by the hex HMAC-SHA256 over `timestamp.body`, keyed with the
 * shared secret.
 */
import { createHmac } from 'node:crypto';

/**
 * Returns the signature. @param timestamp epoch seconds, as sent in `X-Gateway-Timestamp`; receivers refuse old
 * timestamps.
 */
export const webhookSignature = (secret: string, timestamp: string, body: string): string =>
  `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
