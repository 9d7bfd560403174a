/** `Retry-After` in seconds, whichever of its two forms was sent (RFC 9110 §10.2.3); undefined without a usable one. */
export function retryAfterSeconds(headers: Headers, nowMs: number): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - nowMs) / 1000);
  return seconds > 0 ? seconds : undefined;
}
