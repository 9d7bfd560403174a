/**
 * Time-outs of a client of an AWS service [cloud.store-client]. Without them the SDK waits for an answer
 * until the function itself ends. A call that times out throws a `TimeoutError`, which each adapter turns into its own
 * typed error.
 */
interface CallBounds {
  /** Milliseconds to open a connection. */
  readonly connectMs?: number;
  /**
   * Milliseconds of one attempt, from the request to the end of the answer. 0 if the caller bounds each call itself.
   */
  readonly requestMs?: number;
  /** Attempts of the SDK, including the first. */
  readonly attempts?: number;
}

/** Returns options for any client of the SDK. */
export const clientBounds = ({ connectMs = 1_000, requestMs = 3_000, attempts = 3 }: CallBounds = {}) => ({
  maxAttempts: attempts,
  requestHandler: { connectionTimeout: connectMs, requestTimeout: requestMs, throwOnRequestTimeout: true },
});

/**
 * Returns options for S3, whose bodies are larger than rows. Two attempts end before the function or the lease on an
 * approval does: the outcome of an action is recorded after its large result was put.
 */
export const objectBounds = (requestMs = 8_000) => clientBounds({ requestMs, attempts: 2 });

/** Options for calls that are made once, each with its own deadline. */
export const onceWithDeadline = clientBounds({ requestMs: 0, attempts: 1 });
