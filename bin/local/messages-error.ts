/** Writes errors for Anthropic clients in Anthropic's format, whichever component refuses the request. */

import type { GatewayError } from '#core/kernel/errors.ts';
import { dialects } from '#core/models/dialects/dialects.ts';

/** Returns the error body for a path under `/v1/messages`; undefined for other paths. */
export const messagesError = (url: string, error: GatewayError) =>
  url.startsWith('/v1/messages') ? dialects.anthropic.errorBody(error) : undefined;
