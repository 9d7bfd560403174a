/** Response ids that callers see. */
import { GatewayError } from '#core/kernel/errors.ts';
import type { Thing } from '#core/kernel/not-found.ts';

export const responseThing: Thing = { noun: 'response' };

/** Derives the id of a response from the id of its call. */
export const responseIdOf = (envelopeId: string): string => `resp_${envelopeId.replaceAll('-', '')}`;

export const isResponseId = (id: string): boolean => /^resp_[0-9a-f]{32}$/.test(id);

/** Returns the error for a response that is unknown, deleted, not stored or belongs to another key. */
export const responseNotFound = (id: string): GatewayError =>
  new GatewayError(
    'not_found',
    `Response ${id.slice(0, 64)} was not found. A key can read only its own responses that were created with store: true. If no provider keeps responses, set store to false in the client and send the whole input.`,
  );
