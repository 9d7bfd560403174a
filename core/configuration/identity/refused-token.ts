/** A refused bearer token, reported as `invalid_token` in `WWW-Authenticate` (RFC 6750). */
import { GatewayError } from '#core/kernel/errors.ts';

export class RefusedToken extends GatewayError {
  /**
   * @param why plain words without quotation marks, because they are sent in a header. They never contain a part of the
   * token.
   */
  constructor(why: string, options: { cause?: unknown } = {}) {
    super('authentication_error', `Not authenticated: ${why}.`, options);
  }
}
