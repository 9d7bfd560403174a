/** Runs requests: relays their messages and handles their cancellation, which may arrive at any process. */

import type { CallName } from '#core/execution/cancellation/ports.ts';
import { CancelledByOwner, cancelledBy, watchCancelled } from '#core/execution/cancellation/watch.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { dispatch, type Services } from './dispatch.ts';
import type { McpSession } from './ports.ts';
import type { Era } from './protocol/era.ts';
import { mcpCodes, type RequestId, type RpcOutcome, type RpcRequest, responseOf } from './protocol/messages.ts';
import { logFault, loggedErrorOf } from './refusals.ts';
import type { Caller, Exchange } from './sessions/caller.ts';
import { MessageQueue } from './sessions/message-queue.ts';

interface RunningRequest {
  /** Messages as they arrive, with the response last. */
  readonly messages: MessageQueue;
  /** Settles when all work of the request has ended. Never rejects. */
  readonly finished: Promise<void>;
}

export class RunningRequests {
  readonly #services: Services;
  /** Running requests by name. Only clients without a session can have several requests under one name. */
  readonly #running = new Map<string, Set<AbortController>>();

  constructor(services: Services) {
    this.#services = services;
  }

  /** Starts a request. @param left aborts when the client's connection ends. */
  start(request: RpcRequest, caller: Caller, left: AbortSignal): RunningRequest {
    const queue = new MessageQueue();
    const aborting = new AbortController();
    const key = runningKey(caller, request.id);
    const alike = this.#running.get(key) ?? new Set();
    this.#running.set(key, alike.add(aborting));
    // A session's request outlives its connection; a stateless request does not.
    if (caller.era === 'stateless') {
      queue.onLeft(() => aborting.abort());
      left.addEventListener('abort', () => aborting.abort(), { once: true });
    }
    const watch = watchCancelled(this.#services.ports, callName(caller, request.id), aborting.signal);
    const later: Promise<unknown>[] = [];
    const exchange: Exchange = {
      send: (sent) => queue.write(sent),
      streams: () => {
        queue.streams = true;
      },
      signal: watch.signal,
      isGone: () => (queue.hasReader ? !queue.hasReader() : queue.gone || left.aborted),
      later: (work) => void later.push(work.catch((fault) => logFault(this.#services.ports, fault))),
    };
    // A cancelled request gets no response (2025), or has no reader left (2026).
    const work = async () => {
      try {
        const outcome = await dispatch(this.#services, request, caller, exchange);
        if (lacksCapability(outcome, caller.era)) queue.refusal = { status: 400 };
        if (cancelledBy(watch.signal) === undefined) void queue.write(responseOf(request.id, outcome));
      } catch (fault) {
        if (!watch.signal.aborted) this.#fail(queue, request.id, fault);
      } finally {
        watch.stop();
        queue.end();
        alike.delete(aborting);
        if (alike.size === 0) this.#running.delete(key);
      }
      await Promise.all(later);
    };
    return { messages: queue, finished: work() };
  }

  /**
   * Cancels a request. Returns false if the request is not running here; other processes poll for cancellations every
   * second.
   */
  async cancel(caller: Caller, id: RequestId): Promise<boolean> {
    const running = [...(this.#running.get(runningKey(caller, id)) ?? [])];
    // Clients without a session may share a key and an id. If several requests match, none of them is cancelled.
    if (running.length > 1 && !caller.session) return true;
    for (const each of running) each.abort(new CancelledByOwner(caller.principal.key_id));
    if (running.length > 0) return true;
    const { cancellations, clock } = this.#services.ports;
    await cancellations?.ask(callName(caller, id), isoTime(clock.now()));
    return false;
  }

  /**
   * Cancels the requests of a session that its client has ended. A held call stays pending: the client may come back
   * for it.
   */
  endOf({ id }: McpSession): void {
    for (const [key, alike] of this.#running)
      if (key.startsWith(`${id}\n`)) for (const running of alike) running.abort();
  }

  stop(): void {
    for (const running of [...this.#running.values()].flatMap((alike) => [...alike])) running.abort();
  }

  #fail(queue: MessageQueue, id: RequestId, fault: unknown): void {
    const { error, status } = loggedErrorOf(this.#services.ports, fault);
    if (status !== 200) queue.refusal = { status, fault };
    void queue.write(responseOf(id, { error }));
  }
}

/**
 * Checks whether a request failed because the client lacks a capability, which results in HTTP 400 in the stateless
 * revision (2026-07-28).
 */
const lacksCapability = (outcome: RpcOutcome, era: Era): boolean =>
  era === 'stateless' && 'error' in outcome && outcome.error.code === mcpCodes.missingCapability;

const runningKey = ({ conversation, sessionId }: Caller, id: RequestId): string =>
  `${conversation.owner}\n${sessionId}\n${typeof id}:${id}`;

/** Returns the name of a request, which is the same in every process. */
const callName = (caller: Caller, id: RequestId): CallName => {
  const { tenant, key_id } = caller.principal;
  return { tenant, key_id, call: `mcp:${digestOf([caller.sessionId, typeof id, String(id)])}` };
};
