/**
 * How long a client of an AWS service waits [cloud.clients-have-time-outs]: without bounds the SDK waits for an answer until the
 * function itself ends. A call that runs into a bound is a `TimeoutError`, which each adapter turns into its own typed error.
 */
interface CallBounds {
  /** Milliseconds to open a connection. */
  readonly connectMs?: number;
  /** Milliseconds of one attempt, from the request to the end of the answer; 0 where the caller bounds each call itself. */
  readonly requestMs?: number;
  /** Attempts of the SDK. */
  readonly attempts?: number;
}

/** Options for any client of the SDK. */
export const clientBounds = ({ connectMs = 1_000, requestMs = 3_000, attempts = 3 }: CallBounds = {}) => ({
  maxAttempts: attempts,
  requestHandler: { connectionTimeout: connectMs, requestTimeout: requestMs, throwOnRequestTimeout: true },
});

/**
 * Bodies in S3 are larger than rows. Two attempts end before the function or the lease on an approval does: the outcome of an
 * action is recorded after its large result was put.
 */
export const objectBounds = (requestMs = 8_000) => clientBounds({ requestMs, attempts: 2 });

/** For calls that are made once, each with a deadline of its own. */
export const onceWithDeadline = clientBounds({ requestMs: 0, attempts: 1 });
