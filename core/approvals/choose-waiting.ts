/**
 * Chooses how a call waits for a human: answered and sent again, held in place, followed as an MCP task or asked of the
 * client, or made by the gateway once it is approved. MCP, chats and test actions all choose here.
 */
import type { Configuration } from '#core/contracts/config.ts';

/** `task` and `input` are MCP's: a task, or `input_required` with the approval's address. */
export type WayToWait = 'task' | 'input' | 'held' | 'retry';

/** Abilities of a caller while its call is pending. */
interface WaitingCaller {
  /** It follows a task. */
  readonly followsTask?: boolean;
  /** It can be asked to open the approval's address. */
  readonly opensAddress?: boolean;
  /** It keeps its connection open for `approvals.hold_seconds`. */
  readonly staysConnected: boolean;
}

/** Returns the way to wait, and the seconds for which the call is held. */
export function chooseWaiting(
  { followsTask = false, opensAddress = false, staysConnected }: WaitingCaller,
  { hold_seconds }: Pick<Configuration['approvals'], 'hold_seconds'>,
): { readonly way: WayToWait; readonly holdSeconds: number } {
  if (followsTask) return { way: 'task', holdSeconds: 0 };
  if (opensAddress) return { way: 'input', holdSeconds: 0 };
  return staysConnected && hold_seconds > 0
    ? { way: 'held', holdSeconds: hold_seconds }
    : { way: 'retry', holdSeconds: 0 };
}

/**
 * Reports whether the gateway makes the approved call, in whichever way its caller waits. A caller that only asks for a
 * decision makes the call itself.
 */
export const isMadeByGateway = (
  { on_approval }: Pick<Configuration['approvals'], 'on_approval'>,
  callerExecutes: boolean,
): boolean => on_approval === 'execute' && !callerExecutes;
