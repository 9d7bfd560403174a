/** Retention of a response that its provider stores, or that continues a stored one [responses.stored]. */
import type { StoredResponse } from '#core/contracts/stored-batch.ts';

export class ResponseRetention {
  /** True if the caller requests storage. */
  readonly store: boolean;
  readonly previous: StoredResponse | undefined;
  /** True if the caller's first message comes from `instructions`, which apply to this response only. */
  readonly instructions: boolean;
  /** Value in the response: initially the requested one, finally the actual one. */
  stored: boolean;
  /** True if a tool call was not allowed, in which case no later call may continue the response. */
  withheld = false;

  constructor(given: Pick<ResponseRetention, 'store' | 'previous' | 'instructions'>) {
    this.store = given.store;
    this.previous = given.previous;
    this.instructions = given.instructions;
    this.stored = given.store;
  }
}
