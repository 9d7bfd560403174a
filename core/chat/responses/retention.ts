/** What becomes of a response that its provider is to keep, or that continues one [responses.stored]. */
import type { StoredResponse } from '#core/contracts/stored-batch.ts';
import { GatewayError } from '#core/kernel/errors.ts';

export class ResponseRetention {
  /** The caller asks for it to be kept. */
  readonly store: boolean;
  readonly previous: StoredResponse | undefined;
  /** The caller's first message is `instructions`, which count for this response alone. */
  readonly instructions: boolean;
  /** What the answer says: first what is asked for, in the end what was done. */
  stored: boolean;
  /** A tool call was not allowed: what the model said is kept for no later call. */
  withheld = false;
  /** A tool call was allowed. */
  callsTools = false;

  constructor(given: Pick<ResponseRetention, 'store' | 'previous' | 'instructions'>) {
    this.store = given.store;
    this.previous = given.previous;
    this.instructions = given.instructions;
    this.stored = given.store;
  }
}

/** What is unknown, deleted, not kept or another key's. */
export const responseNotFound = (id: string): GatewayError =>
  new GatewayError(
    'not_found',
    `Response ${id.slice(0, 64)} was not found. A key reads its own responses that were answered with store: true. Where no provider keeps responses, set store to false in the client and send the whole input.`,
  );
