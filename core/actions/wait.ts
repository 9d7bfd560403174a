/**
 * Ways in which a call waits for a person's decision: it is answered at once and sent again (0 seconds), held in place,
 * answered with an MCP task or elicitation (`core/mcp/waiting`), or made by the gateway after approval
 * (`execute-approved.ts`).
 */
import type { Placement } from '#core/contracts/envelope.ts';

export interface WaitStrategy {
  /** Seconds the call is held; 0 answers at once that it is in review. */
  readonly holdSeconds: number;
  /** Called before each check of the approval, at most four times per second. */
  readonly onWait?: (waitedMs: number) => void;
  /**
   * Returns whether the caller's connection has ended. The hold continues, since the caller may come back, but the call
   * does not run meanwhile.
   */
  readonly isGone?: (() => boolean) | undefined;
  /** Ends the wait. Its reason is thrown. */
  readonly signal?: AbortSignal;
  /**
   * Returns the current placement of the call, or undefined if it has none. Called after approval, also if the call is
   * not held. If absent, the executors are queried.
   */
  readonly placed?: () => Promise<Placement | undefined>;
}

/** Returns a strategy without progress notifications. */
export const waitingFor = (holdSeconds: number, isGone?: () => boolean): WaitStrategy => ({ holdSeconds, isGone });
