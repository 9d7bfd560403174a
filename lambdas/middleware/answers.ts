/** Parts shared by all HTTP handlers: request ids on replies, and typed errors. */
import { RefusedToken } from '#core/configuration/identity/refused-token.ts';
import type { HttpEvent, HttpReply } from '#core/contracts/http.ts';
import type { GatewayError } from '#core/kernel/errors.ts';
import type { Telemetry } from '#core/kernel/ports.ts';
import { RequestRefusal } from '#core/limits/admit-request.ts';
import { MethodNotAllowed } from './route.ts';

/** Adds `X-Request-ID` and the standard headers to a reply. */
export function stamp(event: HttpEvent, reply: HttpReply): void {
  const id = event.requestContext?.requestId ?? '';
  reply.headers['x-request-id'] = id;
  reply.headers['request-id'] = id; // the name that Anthropic's clients use
  reply.headers['cache-control'] = 'no-store';
  reply.headers['x-content-type-options'] = 'nosniff';
}

/** Format of a surface's errors. */
export interface ErrorShape {
  readonly body: (error: GatewayError) => object;
  readonly status?: (error: GatewayError) => number;
  readonly headers?: (error: GatewayError) => Readonly<Record<string, string>>;
}

const standardShape: ErrorShape = { body: (error) => error.toBody() };

export function errorReply(error: GatewayError, shape: ErrorShape = standardShape): HttpReply {
  const headers: Record<string, string> = { 'content-type': 'application/json', ...shape.headers?.(error) };
  if (error instanceof RequestRefusal) Object.assign(headers, error.headers);
  if (error instanceof MethodNotAllowed) headers.allow = error.allow;
  if (error.retryAfterSeconds !== undefined) headers['retry-after'] = String(acceptedWait(error.retryAfterSeconds));
  // The official clients would retry immediately, and a short wait does not help.
  if (error.code === 'budget_exceeded' || error.data?.reason === 'insufficient_quota')
    headers['x-should-retry'] = 'false';
  if (error.code === 'authentication_error') headers['www-authenticate'] = challengeOf(error);
  return { statusCode: shape.status?.(error) ?? error.kind.status, headers, body: JSON.stringify(shape.body(error)) };
}

/**
 * Returns the wait that the header states. The official clients ignore waits above 60 seconds and retry at once, and a
 * full window of a rate limit takes up to 61. A client that returns a second early waits one more.
 */
const acceptedWait = (seconds: number): number => (seconds === longestAcceptedWait + 1 ? longestAcceptedWait : seconds);

const longestAcceptedWait = 60;

/**
 * Returns the challenge: the required credential, and the defect in the token that was sent (RFC 6750).
 * @param more additional parameters, already formatted for the header.
 */
export function challengeOf(error: GatewayError, more = 'realm="agent-governance-gateway"'): string {
  if (!(error instanceof RefusedToken)) return `Bearer ${more}`;
  const description = error.message.replace(/[^ !#-[\]-~]/g, "'");
  return `Bearer ${more}, error="invalid_token", error_description="${description}"`;
}

export function logFault(telemetry: Telemetry, event: HttpEvent, error: GatewayError): void {
  const cause = error.cause instanceof Error ? { cause: error.cause.message, stack: error.cause.stack } : {};
  telemetry.log('error', error.message, {
    request_id: event.requestContext?.requestId,
    type: error.code,
    method: event.httpMethod,
    path: event.resource,
    ...cause,
  });
}
