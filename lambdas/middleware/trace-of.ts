/** Reads the caller's trace from a request's headers. */
import type { HttpEvent } from '#core/contracts/http.ts';
import { headerValues } from './body.ts';

/** Returns the trace. If there are several `traceparent` headers, they are ignored (W3C trace context). */
export function traceOf(event: HttpEvent) {
  const only = (name: string) => {
    const values = headerValues(event, name);
    return values.length === 1 ? values[0] : undefined;
  };
  return {
    traceparent: only('traceparent'),
    tracestate: headerValues(event, 'tracestate').join(',') || undefined,
    xray: only('x-amzn-trace-id'),
  };
}
