/** Retention of a response that its provider stores, or that continues a stored one [responses.stored]. */
import type { StoredResponse } from '#core/contracts/stored-batch.ts';
import { GatewayError } from '#core/kernel/errors.ts';

export class ResponseRetention {
  /** True if the caller requests storage. */
  readonly store: boolean;
  readonly previous: StoredResponse | undefined;
  /** True if the caller's first message is `instructions`, which apply to this response only. */
  readonly instructions: boolean;
  /** Value in the answer: first as requested, in the end as done. */
  stored: boolean;
  /** True if a tool call was not allowed, so that no later call may continue the response. */
  withheld = false;
  /** True if a tool call was allowed. */
  callsTools = false;

  constructor(given: Pick<ResponseRetention, 'store' | 'previous' | 'instructions'>) {
    this.store = given.store;
    this.previous = given.previous;
    this.instructions = given.instructions;
    this.stored = given.store;
  }
}

/** Derives the id of a response from that of its call. */
export const responseIdOf = (envelopeId: string): string => `resp_${envelopeId.replaceAll('-', '')}`;

export const isResponseId = (id: string): boolean => /^resp_[0-9a-f]{32}$/.test(id);

/** Returns the error for a response that is unknown, deleted, not stored or another key's. */
export const responseNotFound = (id: string): GatewayError =>
  new GatewayError(
    'not_found',
    `Response ${id.slice(0, 64)} was not found. A key reads its own responses that were answered with store: true. Where no provider keeps responses, set store to false in the client and send the whole input.`,
  );
