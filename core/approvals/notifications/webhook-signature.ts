/**
 * Signature of the gateway's webhooks: `v1=` and the HMAC-SHA256, in hex, over `timestamp.body` with the shared secret.
 */
import { createHmac } from 'node:crypto';

/**
 * Returns the signature. @param timestamp epoch seconds, as sent in `X-Gateway-Timestamp`; receivers refuse old ones.
 */
export const webhookSignature = (secret: string, timestamp: string, body: string): string =>
  `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
