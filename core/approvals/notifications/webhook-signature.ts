/** How receivers verify the webhooks of the gateway: `v1=` HMAC-SHA256, in hex, over `timestamp.body` with the shared secret. */
import { createHmac } from 'node:crypto';

/** @param timestamp seconds since the epoch, as sent in `X-Gateway-Timestamp`; receivers refuse old ones. */
export const webhookSignature = (secret: string, timestamp: string, body: string): string =>
  `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
