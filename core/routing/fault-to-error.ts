/** The caller's error for a provider's fault: generic text and the provider's id of the call, the detail as `cause` for the log [chat.provider-request-id]. */
import { GatewayError } from '#core/kernel/errors.ts';
import type { ProviderFault } from '#core/providers/ports.ts';

/** Every 429 has a Retry-After [chat.retry-after]: what a caller waits for a provider that does not say how long. */
const unsaidWaitSeconds = 5;

export function faultToError(cause: ProviderFault): GatewayError {
  const { kind, status, retryAfterSeconds, told, requestId } = cause;
  const options = { cause, providerRequestId: requestId };
  if (kind === 'timeout')
    return new GatewayError('provider_timeout', 'The provider did not answer in time; try again.', options);
  if (kind === 'aborted')
    return new GatewayError(
      'provider_error',
      'The caller closed the connection before the answer was complete.',
      options,
    );
  if (kind === 'status' && status === 429) {
    return new GatewayError(
      'rate_limit_error',
      'The provider answered 429: its rate limit is reached. Send the request again later.',
      { ...options, retryAfterSeconds: retryAfterSeconds ?? unsaidWaitSeconds },
    );
  }
  if (kind === 'status' && (status === 400 || status === 413 || status === 422)) {
    const said = told === undefined ? '' : `: ${told}`;
    return new GatewayError('invalid_request', `The provider refused the request${said}`, options);
  }
  return new GatewayError(
    'provider_error',
    'The provider could not complete the request. Send it again later, or name another model.',
    options,
  );
}
