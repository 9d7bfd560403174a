/**
 * How a caller waits for a human: a task, `input_required`, a held answer with progress, or -32002 and the retry,
 * chosen by what the client said it can do. Whichever way, the approval's row decides that the call runs once.
 */
import type { GovernPorts } from '#core/actions/ports.ts';
import type { Snapshot, Snapshots } from '#core/configuration/store/snapshots.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { capabilitiesOf, tasksExtension } from '../protocol/era.ts';
import { isObject, notificationOf } from '../protocol/messages.ts';
import type { Conversation } from '../sessions/conversations.ts';

export type Waiting = 'task' | 'input' | 'held' | 'retry';

/** @param asks whether the client can be asked to open the approval's address. */
export function waitingOf({ era }: Conversation, params: JsonObject, asks: boolean, holdSeconds: number): Waiting {
  if (era === 'stateless' ? declaresTasks(params) : isObject(params.task)) return 'task';
  if (asks) return 'input';
  return holdSeconds > 0 && progressToken(params) !== undefined ? 'held' : 'retry';
}

function declaresTasks(params: JsonObject): boolean {
  const { extensions } = capabilitiesOf(params);
  return isObject(extensions) && isObject(extensions[tasksExtension]);
}

export function progressToken({ _meta: meta }: JsonObject): string | number | undefined {
  const token = isObject(meta) ? meta.progressToken : undefined;
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}

/** The ports of a call that does not wait in place, whatever the configuration holds others for. */
export const withoutHold = <P extends GovernPorts>(ports: P): P => ({
  ...ports,
  snapshots: notHolding(ports.snapshots),
});

const derived = new WeakMap<Snapshot, Snapshot>();

const notHolding = (snapshots: Snapshots): Snapshots => ({
  ...snapshots,
  current: async (how) => {
    const snapshot = await snapshots.current(how);
    if (snapshot.configuration.approvals.hold_seconds === 0) return snapshot;
    const known = derived.get(snapshot);
    if (known) return known;
    const { configuration } = snapshot;
    const approvals = { ...configuration.approvals, hold_seconds: 0 };
    const made = { ...snapshot, configuration: { ...configuration, approvals } };
    derived.set(snapshot, made);
    return made;
  },
});

const progressEveryMs = 1_000;

/** The ports of a call that is held: the client hears that it waits, and a client that cancelled is waited for no more. */
export function holding<P extends GovernPorts>(
  ports: P,
  holdSeconds: number,
  params: JsonObject,
  send: (message: JsonObject) => void,
  signal: AbortSignal,
): P {
  const token = progressToken(params);
  const began = ports.clock.now();
  let told = Number.NEGATIVE_INFINITY;
  return {
    ...ports,
    pause: async (ms: number) => {
      signal.throwIfAborted();
      const now = ports.clock.now();
      if (token !== undefined && now - told >= progressEveryMs) {
        told = now;
        send(waitingNotice(token, now - began, holdSeconds));
      }
      await ports.pause(ms);
      signal.throwIfAborted();
    },
  };
}

/** Progress must grow, and the server's own begins at 0 or 1 once the call runs: waiting counts in millionths. */
const waitingNotice = (token: string | number, waitedMs: number, holdSeconds: number): JsonObject =>
  notificationOf('notifications/progress', {
    progressToken: token,
    progress: waitedMs / 1e9,
    message: `Waiting for approval (${Math.round(waitedMs / 1000)} s of ${holdSeconds} s)`,
  });
