/**
 * How long a provider is waited for once it has begun to answer. Bytes that are not an event — comments, pings, half a line — keep
 * a connection alive, not a call: what counts is the next event of a stream, or the whole of a reply.
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

/** The result of `work`, if it comes in time. @throws HttpFault `timeout`, after the connection was closed. */
export function withDeadline<T>(what: string, work: Promise<T>, { timeouts, ms, giveUp }: Deadline): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = timeouts.after(ms, () => {
      reject(new HttpFault('timeout', `no ${what} within ${ms} ms`));
      giveUp();
    });
    work.then(resolve, reject).finally(cancel);
  });
}

export type Events<T = JsonObject> = Pick<AsyncGenerator<T, undefined>, 'next' | 'return'>;

/** How long the usage and the end mark of a stream are waited for after its last word. */
const afterLastWordMs = 3_000;

/**
 * The events, each in time from when it is asked for: a slow reader never times out. A complete answer ends the call even if the
 * vendor keeps the connection open.
 * @param asFault what a time-out is to the reader.
 * @param isComplete whether the answer has said why it ended.
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
