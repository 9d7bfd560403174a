/**
 * Timeouts of an AWS service client [cloud.store-client]. Without them the SDK waits for a response until the function
 * itself ends. A call that times out throws a `TimeoutError`, which each adapter turns into its own typed error.
 */
interface CallBounds {
  /** Maximum time to open a connection, in milliseconds. */
  readonly connectMs?: number;
  /**
   * Maximum time for one attempt, from the request to the end of the response, in milliseconds. 0 if the caller limits
   * each call itself.
   */
  readonly requestMs?: number;
  /** Number of attempts the SDK makes, including the first. */
  readonly attempts?: number;
}

/** Returns options for any SDK client. */
export const clientBounds = ({ connectMs = 1_000, requestMs = 3_000, attempts = 3 }: CallBounds = {}) => ({
  maxAttempts: attempts,
  requestHandler: { connectionTimeout: connectMs, requestTimeout: requestMs, throwOnRequestTimeout: true },
});

/**
 * Returns options for S3, whose bodies are larger than rows. Two attempts finish before the function or the approval's
 * lease ends, because an action's outcome is recorded only after its large result is stored.
 */
export const objectBounds = (requestMs = 8_000) => clientBounds({ requestMs, attempts: 2 });

/** Options for calls that are attempted once, each with its own deadline. */
export const onceWithDeadline = clientBounds({ requestMs: 0, attempts: 1 });
