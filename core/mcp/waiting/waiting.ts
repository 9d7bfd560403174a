/**
 * The ways in which an MCP client waits for a human, depending on its capabilities: a task, `input_required`, a held
 * response with progress, or -32002 and a retry. In each case the approval's row ensures that the call runs only once.
 */
import type { WaitStrategy } from '#core/actions/wait.ts';
import { chooseWaiting, type WaitMethod } from '#core/approvals/choose-waiting.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { capabilitiesOf, tasksExtension } from '../protocol/era.ts';
import { notificationOf } from '../protocol/messages.ts';
import { progressTokenOf } from '../protocol/request-meta.ts';
import type { Caller, Exchange } from '../sessions/caller.ts';

/**
 * Chooses how a call waits, and how server messages reach its client in the meantime.
 * @param asks true if the client can be asked to open the approval's URL.
 * @param isRetry true for a retry of a pending call, which keeps waiting instead of opening a new request.
 */
export function clientWaiting(
  { conversation, snapshot }: Pick<Caller, 'conversation' | 'snapshot'>,
  params: JsonObject,
  exchange: Exchange,
  { asks, isRetry }: { readonly asks: boolean; readonly isRetry: boolean },
): HeldWait & { readonly way: WaitMethod } {
  const { approvals } = snapshot.configuration;
  const client = {
    followsTask: conversation.era === 'stateless' ? declaresTasks(params) : isObject(params.task),
    opensAddress: asks,
    // Without progress notifications, clients end a request that takes long.
    staysConnected: progressTokenOf(params) !== undefined,
  };
  const { way } = chooseWaiting(client, approvals);
  const holds = way === 'held' || isRetry;
  return {
    way,
    ...(holds ? holdCall(approvals.hold_seconds, params, exchange) : { wait: { ...noHold, way }, send: exchange.send }),
  };
}

function declaresTasks(params: JsonObject): boolean {
  const { extensions } = capabilitiesOf(params);
  return isObject(extensions) && isObject(extensions[tasksExtension]);
}

/** Strategy that responds immediately, regardless of the configured hold time. */
export const noHold: WaitStrategy = { holdSeconds: 0 };

/** A held call's wait, and the channel for later server messages. */
interface HeldWait {
  readonly wait: WaitStrategy;
  /**
   * Forwards a server message. Its progress continues from the value reached during the wait, because progress must
   * increase [approval.ways-to-wait].
   */
  readonly send: (message: JsonObject) => void;
}

/** Builds the wait for a held call. The client receives the waiting time as progress, in seconds. */
export function holdCall(
  holdSeconds: number,
  params: JsonObject,
  { send, signal, isGone }: Pick<Exchange, 'send' | 'signal' | 'isGone'>,
): HeldWait {
  const token = progressTokenOf(params);
  let reported: number | undefined;
  const onWait = (waitedMs: number) => {
    const seconds = Math.floor(waitedMs / 1000);
    if (token === undefined || seconds <= (reported ?? -1)) return;
    reported = seconds;
    const message = `Waiting for approval (${seconds} s of ${holdSeconds} s)`;
    const progress = { progressToken: token, progress: seconds, total: holdSeconds, message };
    send(notificationOf('notifications/progress', progress));
  };
  const after = (message: JsonObject): JsonObject => {
    const { method, params: given } = message;
    if (reported === undefined || method !== 'notifications/progress' || !isObject(given)) return message;
    const from = reported + 1;
    const shifted = (['progress', 'total'] as const).flatMap((name) => {
      const value = given[name];
      return typeof value === 'number' ? [[name, value + from]] : [];
    });
    return { ...message, params: { ...given, ...Object.fromEntries(shifted) } };
  };
  return { wait: { holdSeconds, onWait, signal, isGone }, send: (message) => send(after(message)) };
}
