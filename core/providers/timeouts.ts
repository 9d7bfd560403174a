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

export type Events = Pick<AsyncGenerator<JsonObject, undefined>, 'next' | 'return'>;

/**
 * The events, each in time from when it is asked for: a slow reader never times out.
 * @param asFault what a time-out is to the reader.
 */
export const withEventTimeout = (events: Events, deadline: Deadline, asFault: (thrown: unknown) => Error): Events => ({
  next: () =>
    withDeadline('event', events.next(), deadline).catch((thrown: unknown) => {
      throw asFault(thrown);
    }),
  return: (value) => events.return(value),
});
