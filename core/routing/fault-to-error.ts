/** The caller's error for a provider's fault: generic text, the detail as `cause` for the log. */
import { GatewayError } from '#core/kernel/errors.ts';
import type { ProviderFault } from '#core/providers/ports.ts';

export function faultToError(cause: ProviderFault): GatewayError {
  const { kind, status, retryAfterSeconds, told } = cause;
  if (kind === 'timeout')
    return new GatewayError('provider_timeout', 'The provider did not answer in time; try again.', { cause });
  if (kind === 'aborted') return new GatewayError('provider_error', 'The caller went away.', { cause });
  if (kind === 'status' && status === 429) {
    const after = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
    return new GatewayError('rate_limit_error', 'The provider limits its callers; try again later.', {
      cause,
      ...after,
    });
  }
  if (kind === 'status' && (status === 400 || status === 413 || status === 422)) {
    const said = told === undefined ? '' : `: ${told}`;
    return new GatewayError('invalid_request', `The provider refused the request${said}`, { cause });
  }
  return new GatewayError('provider_error', 'The provider could not complete the request.', { cause });
}
