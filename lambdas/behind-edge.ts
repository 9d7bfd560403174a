/**
 * Restores a caller's address and host if CloudFront is in front of the API [cloud.edge], because API Gateway only sees
 * CloudFront's address and its own host. `BEHIND_EDGE` enables this: the web ACL then accepts these headers only from
 * CloudFront. Without that variable any caller could forge them, so they are ignored.
 */
import { isIP } from 'node:net';
import { edgeHeaders } from '#core/contracts/edge.ts';
import type { HttpEvent } from '#core/contracts/http.ts';
import { headerValues } from './middleware/body.ts';

export function originalRequest(event: HttpEvent, environment: NodeJS.ProcessEnv = process.env): HttpEvent {
  if (environment.BEHIND_EDGE !== 'on') return event;
  const address = onlyHeader(event, edgeHeaders.client);
  const host = onlyHeader(event, edgeHeaders.host);
  const { requestContext } = event;
  return {
    ...event,
    headers: withoutEdgeHeaders(event.headers, host),
    multiValueHeaders: withoutEdgeHeaders(event.multiValueHeaders, host && [host]),
    requestContext: {
      ...requestContext,
      ...(host !== undefined && { domainName: host }),
      identity: {
        ...requestContext?.identity,
        ...(address !== undefined && isIP(address) !== 0 && { sourceIp: address }),
      },
    },
  };
}

/** Returns the value of a header that occurs exactly once. */
function onlyHeader(event: HttpEvent, name: string): string | undefined {
  const [value, second] = headerValues(event, name);
  return second === undefined ? value : undefined;
}

const edgeHeaderNames: readonly string[] = Object.values(edgeHeaders);

/** Removes the edge's headers, including the origin secret, so that subsequent code cannot forward or record them. */
function withoutEdgeHeaders<H extends Readonly<Record<string, unknown>> | null>(headers: H, host: unknown): H {
  if (headers === null || Object.keys(headers ?? {}).length === 0) return headers;
  const kept = Object.entries(headers).filter(([name]) => {
    const lower = name.toLowerCase();
    return !edgeHeaderNames.includes(lower) && !(lower === 'host' && host !== undefined);
  });
  return Object.fromEntries([...kept, ...(host === undefined ? [] : [['host', host]])]) as H;
}
