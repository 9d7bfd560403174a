/** Writes errors for Anthropic's clients in Anthropic's format, whichever component refuses them. */

import type { GatewayError } from '#core/kernel/errors.ts';
import { dialects } from '#core/models/dialects/dialects.ts';

/** Returns the body of an error below `/v1/messages`; undefined for other paths. */
export const messagesError = (url: string, error: GatewayError) =>
  url.startsWith('/v1/messages') ? dialects.anthropic.errorBody(error) : undefined;
