/**
 * Reduces a service's response to the parts that callers get: status, harmless headers, and the body as JSON or text.
 */
import { ExecutionFault, type ExecutionFaultKind } from '../fault.ts';
import { quoteText } from '../named-executor.ts';
import type { IncomingAnswer } from '../ports.ts';

interface HttpResult {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Body, parsed if it is valid JSON and declared as such, or in base64 if it is not text. */
  readonly body: unknown;
  readonly encoding?: 'base64';
  readonly truncated: boolean;
}

const answerHeaders =
  /^(?:content-type|content-language|content-range|date|etag|last-modified|link|location|retry-after|x-request-id|x-total-count|(?:x-)?ratelimit-[a-z-]{1,32})$/;

export function httpResult({ status, headers, body, truncated }: IncomingAnswer): HttpResult {
  const safe = Object.fromEntries(Object.entries(headers).filter(([name]) => answerHeaders.test(name)));
  return { status, headers: safe, ...encodedBody(body, headers, truncated), truncated };
}

function encodedBody(
  body: Uint8Array,
  headers: Readonly<Record<string, string>>,
  truncated: boolean,
): Pick<HttpResult, 'body' | 'encoding'> {
  const text = headers['content-encoding'] === undefined ? decodedBody(body, truncated) : undefined;
  if (text === undefined) return { body: Buffer.from(body).toString('base64'), encoding: 'base64' };
  if (!truncated && /^application\/(?:[\w.+-]+\+)?json\b/i.test(headers['content-type'] ?? '')) {
    try {
      return { body: JSON.parse(text) as unknown };
    } catch {
      // Declared as JSON but invalid, so returned as text.
    }
  }
  return { body: text };
}

/** Decodes a text body. Returns undefined if the body is binary. A character cut off at the end is dropped. */
function decodedBody(body: Uint8Array, truncated: boolean): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body, { stream: truncated });
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

/**
 * Checks that the response indicates success.
 * @param changes whether the request may have changed something.
 * @throws ExecutionFault for other responses.
 */
export function assertSuccess(answer: IncomingAnswer, changes: boolean): void {
  const { status, headers } = answer;
  if (status < 300 || status === 304) return;
  if (status < 400) throw redirectFault(status, headers.location);
  // A proxy timed out, and the service behind it may have acted.
  const effect = changes && (status === 502 || status === 504) ? 'unknown' : 'none';
  const said = words(answer);
  throw new ExecutionFault(faultKind(answer), `it answered ${status}${said && `, "${said}"`}`, { status, effect });
}

/** Returns the fault for a redirect. Following it would send the credential to an address that is not configured. */
function redirectFault(status: number, location = ''): ExecutionFault {
  const host = URL.parse(location, 'http://same.invalid')?.host;
  const where = host === undefined || host === 'same.invalid' ? 'another path of its own' : host;
  const hint = 'Redirects are not followed: configure the service with its final address.';
  return new ExecutionFault('malformed', `it answered ${status} and points to ${where}`, { status, hint });
}

function faultKind({ status, headers }: Pick<IncomingAnswer, 'status' | 'headers'>): ExecutionFaultKind {
  const busy = headers['x-ratelimit-remaining'] === '0' || headers['retry-after'] !== undefined;
  if (status === 429 || (status === 403 && busy)) return 'throttled';
  if (status === 401 || status === 407) return 'unauthorized';
  if (status === 403) return 'forbidden';
  if (status === 404 || status === 410) return 'not_found';
  if (status === 409 || status === 412) return 'conflict';
  if (status === 413) return 'too_large';
  return status >= 500 ? 'unavailable' : 'invalid';
}

/** Returns the upstream's error message if its format is known. */
function words({ body, headers }: IncomingAnswer): string {
  const { body: value, encoding } = encodedBody(body, headers, false);
  if (encoding !== undefined) return '';
  if (typeof value === 'string') return headers['content-type']?.startsWith('text/plain') ? quoteText(value) : '';
  const { message, error, detail, title } = (value ?? {}) as Record<string, unknown>;
  const inner = typeof error === 'object' && error !== null ? (error as { message?: unknown }).message : error;
  const found = [message, inner, detail, title].find((text) => typeof text === 'string');
  return found === undefined ? '' : quoteText(found as string);
}
