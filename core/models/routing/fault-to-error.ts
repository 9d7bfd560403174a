/**
 * Converts a provider's fault into the caller's error: generic text, the provider's call id, and the detail as `cause`
 * for the log [chat.provider-error].
 */
import { type ErrorCode, GatewayError } from '#core/kernel/errors.ts';
import type { ProviderFault } from '#core/models/providers/ports.ts';
import { isOverloaded } from './retry.ts';

/** Retry-After value if a provider does not send one, because every 429 must have it [chat.provider-error]. */
const unsaidWaitSeconds = 5;

type Options = ConstructorParameters<typeof GatewayError>[2];

/**
 * Converts a fault.
 * @param gatewayRequestId gateway's call id, which callers may pass on to the gateway's operator.
 */
export function faultToError(cause: ProviderFault, gatewayRequestId?: string): GatewayError {
  const { kind, status, retryAfterSeconds, requestId } = cause;
  if (cause.reason === 'unfit' && cause.cause instanceof GatewayError) return cause.cause;
  const origin = gatewayRequestId === undefined ? undefined : { provider: cause.provider, requestId: gatewayRequestId };
  const fault = (code: ErrorCode, message: string, more: Options = {}) =>
    new GatewayError(code, message, { cause, providerRequestId: requestId, origin, ...more });
  if (kind === 'aborted')
    return fault('provider_error', 'The caller closed the connection before the answer was complete.');
  if (kind === 'timeout' || (kind === 'status' && (status === 408 || status === 504)))
    return fault('provider_timeout', 'The provider did not answer in time; try again.');
  if (kind === 'status' && status === 429) return limitError(cause, fault);
  if (isOverloaded(cause))
    return fault('provider_overloaded', 'The provider is overloaded. Send the request again later.', {
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    });
  if (kind === 'status' && status === 404 && cause.reason === 'no_model')
    return fault('model_not_found', 'The provider has no model of this name. GET /v1/models lists names.');
  if (kind === 'status' && status === 413)
    return fault('payload_too_large', `The request is larger than the provider accepts${providerMessage(cause)}`, {
      data: dataOf(cause),
    });
  if (kind === 'status' && (status === 400 || status === 422))
    return fault('invalid_request', `The provider refused the request${providerMessage(cause)}`, {
      data: dataOf(cause),
    });
  return fault(
    'provider_error',
    'The provider could not complete the request. Send it again later, or name another model.',
    // Without the wait, the official clients would retry at once, before the next trial call.
    { ...(cause.reason === 'breaker_open' && retryAfterSeconds !== undefined && { retryAfterSeconds }) },
  );
}

/** Returns the member and the provider's code, because clients branch on them; `code` itself is the status. */
const dataOf = ({ param, code }: ProviderFault): Record<string, string> => ({
  ...(param !== undefined && { param }),
  ...(code !== undefined && { reason: code }),
});

const providerMessage = ({ shown }: ProviderFault): string => (shown === undefined ? '' : `: ${shown}`);

/**
 * Returns the error for a provider's rate limit, which passes with time, or for an exhausted account, which does not.
 */
function limitError(
  { reason, code, retryAfterSeconds = unsaidWaitSeconds }: ProviderFault,
  fault: (code: ErrorCode, message: string, more: Options) => GatewayError,
): GatewayError {
  if (reason === 'quota')
    return fault(
      'rate_limit_error',
      "The quota of the gateway's account at the provider is used up. Name another model, or ask the operator of the gateway to raise the quota.",
      { retryAfterSeconds, data: { reason: 'insufficient_quota' } },
    );
  return fault(
    'rate_limit_error',
    'The provider answered 429: its rate limit is reached. Send the request again later.',
    { retryAfterSeconds, ...(code !== undefined && { data: { reason: code } }) },
  );
}
