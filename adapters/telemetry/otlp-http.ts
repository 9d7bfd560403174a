/** Sends OTLP over HTTP/1.1 as gzipped JSON, signed for AWS's collector. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { httpCall } from '#adapters/http/provider-http.ts';
import type { SpanAttribute } from '#core/kernel/ports.ts';
import { traceFlags } from '#core/kernel/trace-context.ts';
import { instrumentation, type ResourceAttributes } from './resource.ts';
import { type EndedSpan, exportedAttributes, type SpanSender, spanKind } from './spans.ts';

interface HttpOptions {
  /** The full URL, including the path. */
  readonly url: string;
  readonly resource: () => ResourceAttributes;
  /** Returns the headers to send instead. They are computed per request because a signature covers the body. */
  readonly sign?: (request: UnsignedRequest) => Headers | Promise<Headers>;
  /** @default 5 seconds */
  readonly timeoutMs?: number;
}

type Headers = Readonly<Record<string, string>>;

export interface UnsignedRequest {
  readonly url: string;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

const zipped = promisify(gzip);
/** Maximum number of characters of a collector's refusal that are logged. */
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

/** Returns the URL for traces: adds the path to a collector's base URL unless it is already present. */
export function tracesUrl(endpoint: string): string {
  const url = new URL(endpoint);
  if (!url.pathname.endsWith('/v1/traces')) url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`;
  return url.href;
}

/** Writes spans as an OTLP export request in JSON, with hex ids and with 64-bit numbers as strings. */
export function traceRequest(spans: readonly EndedSpan[], resource: ResourceAttributes): string {
  const scopeSpans = [{ scope: instrumentation, spans: spans.map(otlpSpan) }];
  return JSON.stringify({ resourceSpans: [{ resource: { attributes: keyValues(resource) }, scopeSpans }] });
}

const kinds = { internal: 1, server: 2, client: 3 } as const;
const statuses = { well: 0, refused: 0, failed: 2 } as const;
/** Flags: the first states that it is known whether the parent is remote, the second that the parent is remote. */
const remoteKnown = 0x100;
const remote = 0x200;

const otlpSpan = (span: EndedSpan) => ({
  traceId: span.traceId,
  spanId: span.spanId,
  ...(span.parentId !== undefined && { parentSpanId: span.parentId }),
  ...(span.tracestate !== undefined && { traceState: span.tracestate }),
  name: span.name.toWellFormed(),
  kind: kinds[spanKind(span)],
  startTimeUnixNano: nanoseconds(span.startMs),
  endTimeUnixNano: nanoseconds(span.endMs),
  attributes: keyValues(exportedAttributes(span)),
  status: { code: statuses[span.end] },
  flags: traceFlags(span.sampled, span.random) | remoteKnown | (span.parentIsRemote ? remote : 0),
});

const nanoseconds = (ms: number): string => `${Math.round(ms * 1_000)}000`;

const keyValues = (attributes: Readonly<Record<string, SpanAttribute>>) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));

function anyValue(value: SpanAttribute): object {
  if (typeof value === 'string') return { stringValue: value.toWellFormed() };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map(anyValue) } };
}
