/**
 * Time limits for a provider that has begun to respond. Bytes that are not an event (comments, pings, half a line) keep
 * a connection open but do not reset the limit: only the next event of a stream or the complete reply does.
 */
import type { JsonObject } from '#core/kernel/json.ts';
import type { Timeouts } from '#core/kernel/ports.ts';
import { HttpFault } from './http.ts';

export interface Deadline {
  readonly timeouts: Timeouts;
  readonly ms: number;
  /** Closes the connection. */
  readonly giveUp: () => void;
}

/** Returns the result of `work` within the time limit. @throws HttpFault `timeout` after closing the connection. */
export function withDeadline<T>(what: string, work: Promise<T>, { timeouts, ms, giveUp }: Deadline): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = timeouts.after(ms, () => {
      reject(new HttpFault('timeout', `no ${what} within ${ms} ms`));
      giveUp();
    });
    work.then(
      (result) => {
        cancel();
        resolve(result);
      },
      (fault) => {
        cancel();
        reject(fault);
      },
    );
  });
}

export type Events<T = JsonObject> = Pick<AsyncGenerator<T, undefined>, 'next' | 'return'>;

/** Maximum wait for a stream's usage and end marker after its last content. */
const afterLastWordMs = 3_000;

/**
 * Returns the events, each with a time limit that starts when it is requested, so a slow reader never causes a timeout.
 * A complete response ends the call even if the vendor keeps the connection open.
 * @param asFault converts a timeout for the reader.
 * @param isComplete returns whether the response has sent its stop reason.
 */
export function withEventTimeout<T>(
  events: Events<T>,
  deadline: Deadline,
  asFault: (thrown: unknown) => Error,
  isComplete: () => boolean,
): Events<T> {
  let over = false;
  return {
    async next() {
      if (over) return { done: true, value: undefined };
      const complete = isComplete();
      const ms = complete ? Math.min(deadline.ms, afterLastWordMs) : deadline.ms;
      try {
        return await withDeadline('event', events.next(), { ...deadline, ms });
      } catch (thrown) {
        if (!complete || !(thrown instanceof HttpFault && thrown.kind === 'timeout')) throw asFault(thrown);
        over = true;
        return { done: true, value: undefined };
      }
    },
    return: (value) => events.return(value),
  };
}
