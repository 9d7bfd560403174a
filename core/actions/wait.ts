/** The way in which a call is held while a person decides. `core/approvals/choose-waiting.ts` makes the choice. */
import { chooseWaiting, type WaitMethod } from '#core/approvals/choose-waiting.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { Placement } from '#core/contracts/envelope.ts';

export interface WaitStrategy {
  /** Seconds the call is held; with 0, the caller is notified immediately that the call is in review. */
  readonly holdSeconds: number;
  /**
   * How the caller learns of the decision, for display to reviewers. If absent, the call is held or the caller sends it
   * again.
   */
  readonly way?: WaitMethod;
  /** Called before each check of the approval, at most four times per second. */
  readonly onWait?: (waitedMs: number) => void;
  /**
   * Returns whether the caller's connection has ended. The hold continues, since the caller may come back, but the call
   * does not run in the meantime.
   */
  readonly isGone?: (() => boolean) | undefined;
  /** Ends the wait, which then throws the signal's reason. */
  readonly signal?: AbortSignal;
  /**
   * Returns the current placement of the call, or undefined if it has none. Called after approval, even if the call is
   * not held. If absent, the executors are queried.
   */
  readonly placed?: () => Promise<Placement | undefined>;
  /**
   * Returns allow once an approval fits, without using it, so that several approvals are used only when all of them are
   * available.
   */
  readonly keeps?: boolean;
}

/**
 * Returns the strategy for a caller that gets no progress notifications.
 * @param staysConnected false for a caller that gets its response immediately.
 */
export const waitingOver = (
  approvals: Pick<Configuration['approvals'], 'hold_seconds'>,
  staysConnected = true,
  isGone?: () => boolean,
): WaitStrategy => ({ holdSeconds: chooseWaiting({ staysConnected }, approvals).holdSeconds, isGone });
