/**
 * How a caller waits for a human: a task, `input_required`, a held answer with progress, or -32002 and the retry,
 * chosen by what the client said it can do. Whichever way, the approval's row decides that the call runs once.
 */
import type { WaitStrategy } from '#core/actions/wait.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { capabilitiesOf, tasksExtension } from '../protocol/era.ts';
import { isObject, notificationOf } from '../protocol/messages.ts';
import type { Exchange } from '../sessions/caller.ts';
import type { Conversation } from '../sessions/conversations.ts';

type Waiting = 'task' | 'input' | 'held' | 'retry';

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

function progressToken({ _meta: meta }: JsonObject): string | number | undefined {
  const token = isObject(meta) ? meta.progressToken : undefined;
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}

/** The call is answered at once, whatever the configuration holds others for. */
export const noHold: WaitStrategy = { holdSeconds: 0 };

const progressEveryMs = 1_000;

/** A call that is held: the client hears that it waits, and a client that cancelled is waited for no more. */
export function holding(
  holdSeconds: number,
  params: JsonObject,
  { send, signal, isGone }: Pick<Exchange, 'send' | 'signal' | 'isGone'>,
): WaitStrategy {
  const token = progressToken(params);
  let reportedMs = Number.NEGATIVE_INFINITY;
  const onWait = (waitedMs: number) => {
    if (token === undefined || waitedMs - reportedMs < progressEveryMs) return;
    reportedMs = waitedMs;
    send(waitingNotice(token, waitedMs, holdSeconds));
  };
  return { holdSeconds, onWait, signal, isGone };
}

/** Progress must grow, and the server's own begins at 0 or 1 once the call runs: waiting counts in millionths. */
const waitingNotice = (token: string | number, waitedMs: number, holdSeconds: number): JsonObject =>
  notificationOf('notifications/progress', {
    progressToken: token,
    progress: waitedMs / 1e9,
    message: `Waiting for approval (${Math.round(waitedMs / 1000)} s of ${holdSeconds} s)`,
  });
