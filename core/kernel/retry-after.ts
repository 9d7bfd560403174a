/**
 * Returns the wait that a server requests, in whole seconds, or undefined if there is no usable header. The header may
 * be `Retry-After` in either format (RFC 9110 §10.2.3), or the header in milliseconds that OpenAI and Azure send, which
 * takes precedence as it does in their clients.
 */
export function retryAfterSeconds(headers: Headers, nowMs: number): number | undefined {
  const ms = Number(headers.get('retry-after-ms') ?? headers.get('x-ms-retry-after-ms') ?? 0);
  if (ms > 0 && Number.isFinite(ms)) return Math.ceil(ms / 1000);
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - nowMs) / 1000);
  return seconds > 0 ? seconds : undefined;
}
