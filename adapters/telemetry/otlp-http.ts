/** Sends OTLP over HTTP/1.1: JSON, gzip, signed for AWS's collector. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { httpCall } from '#adapters/http/provider-http.ts';
import { traceRequest } from './otlp-json.ts';
import type { ResourceAttributes } from './resource.ts';
import type { SpanSender } from './spans.ts';

interface HttpOptions {
  /** The whole address, path included. */
  readonly url: string;
  readonly resource: () => ResourceAttributes;
  /** Returns the headers to send instead: a signature covers the body. */
  readonly sign?: (request: UnsignedRequest) => Promise<Readonly<Record<string, string>>>;
  /** @default 5 seconds */
  readonly timeoutMs?: number;
}

export interface UnsignedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const zipped = promisify(gzip);
/** Characters of a refusal in the log. */
const shownCharacters = 300;
const maxReplyBytes = 64 * 1024;

export function httpSender({ url, resource, sign, timeoutMs = 5_000 }: HttpOptions): SpanSender {
  return {
    async send(spans) {
      const body = await zipped(traceRequest(spans, resource()));
      const plain = {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        'content-length': String(body.length),
      };
      const headers = sign ? await sign({ url, headers: plain, body }) : plain;
      const reply = await httpCall({
        url,
        headers,
        body,
        signal: AbortSignal.timeout(timeoutMs),
        connectTimeoutMs: timeoutMs,
        firstByteTimeoutMs: timeoutMs,
        idleTimeoutMs: timeoutMs,
      });
      const text = await reply.text(maxReplyBytes);
      if (reply.status >= 200 && reply.status < 300) return;
      throw new Error(`the collector answered ${reply.status}: ${text.slice(0, shownCharacters)}`);
    },
    close: async () => {},
  };
}

/** Returns the address for traces: adds the path to a collector's base address, unless it has it. */
export function tracesUrl(endpoint: string): string {
  const url = new URL(endpoint);
  if (!url.pathname.endsWith('/v1/traces')) url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`;
  return url.href;
}
