/** A bearer token that was sent and is refused: `WWW-Authenticate` names it `invalid_token` (RFC 6750). */
import { GatewayError } from '#core/kernel/errors.ts';

export class RefusedToken extends GatewayError {
  /** @param why plain words without quotation marks, since they stand in a header; never a part of the token. */
  constructor(why: string, options: { cause?: unknown } = {}) {
    super('authentication_error', `Not authenticated: ${why}.`, options);
  }
}
