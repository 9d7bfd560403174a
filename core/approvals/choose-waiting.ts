/**
 * Chooses how a call waits for a human decision: the caller is notified and retries, the call is held, it is followed
 * as an MCP task, the client is asked for input, or the gateway makes the call once approved. MCP, chats and test
 * actions all use this choice.
 */
import type { Configuration } from '#core/contracts/config.ts';

/** `task` and `input` come from MCP: a task, or `input_required` with the approval's URL. */
export type WaitMethod = 'task' | 'input' | 'held' | 'retry';

/** Capabilities of a caller while its call is pending. */
interface WaitingCaller {
  /** The caller follows a task. */
  readonly followsTask?: boolean;
  /** The caller can be asked to open the approval's URL. */
  readonly opensAddress?: boolean;
  /** The caller keeps its connection open for `approvals.hold_seconds`. */
  readonly staysConnected: boolean;
}

/** Returns the way to wait, and for how many seconds the call is held. */
export function chooseWaiting(
  { followsTask = false, opensAddress = false, staysConnected }: WaitingCaller,
  { hold_seconds }: Pick<Configuration['approvals'], 'hold_seconds'>,
): { readonly way: WaitMethod; readonly holdSeconds: number } {
  if (followsTask) return { way: 'task', holdSeconds: 0 };
  if (opensAddress) return { way: 'input', holdSeconds: 0 };
  return staysConnected && hold_seconds > 0
    ? { way: 'held', holdSeconds: hold_seconds }
    : { way: 'retry', holdSeconds: 0 };
}

/**
 * Reports whether the gateway makes the approved call, regardless of how its caller waits. A caller that only asks for
 * a decision makes the call itself.
 */
export const isMadeByGateway = (
  { on_approval }: Pick<Configuration['approvals'], 'on_approval'>,
  callerExecutes: boolean,
): boolean => on_approval === 'execute' && !callerExecutes;
