/** Refuses text that is not UTF-8 according to its Content-Type, because the gateway reads all text as UTF-8. */
import { GatewayError } from './errors.ts';

const charsetParameter = /;\s*charset\s*=\s*(?:"([^"]*)"|([^;\s]*))/gi;
/** ASCII text is the same in UTF-8. */
const readable = /^(?:utf-?8|us-ascii|ascii)$/i;

/** @throws GatewayError `unsupported_media_type` for a charset other than UTF-8 or US-ASCII. */
export function requireUtf8(contentType: string): void {
  if (!contentType.includes(';')) return;
  for (const [, quoted, plain = ''] of contentType.matchAll(charsetParameter)) {
    const charset = (quoted ?? plain).trim();
    if (readable.test(charset)) continue;
    throw new GatewayError(
      'unsupported_media_type',
      `The charset in Content-Type is ${JSON.stringify(charset.slice(0, 64))}; allowed: utf-8, us-ascii. Send text in UTF-8.`,
    );
  }
}
