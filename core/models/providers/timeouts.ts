/**
 * Time limits for a provider that has begun to answer. Bytes that are not an event (comments, pings, half a line) keep
 * a connection alive, not a call: only the next event of a stream counts, or the complete reply.
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

/** Returns the result of `work` within the time limit. @throws HttpFault `timeout`, after the connection was closed. */
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

/** Maximum wait for the usage and the end mark of a stream after its last content. */
const afterLastWordMs = 3_000;

/**
 * Returns the events, each with a time limit from when it is requested: a slow reader never times out. A complete
 * answer ends the call even if the vendor keeps the connection open.
 * @param asFault converts a time-out for the reader.
 * @param isComplete returns whether the answer has given its stop reason.
 */
export function withEventTimeout<T>(
  events: Events<T>,
  deadline: Deadline,
  asFault: (thrown: unknown) => Error,
  isComplete: () => boolean = () => false,
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
