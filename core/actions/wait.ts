/**
 * How a call that needs a person's decision waits for it. There are four ways: it is answered at once and sent again (0 seconds), held in place,
 * answered with an MCP task or elicitation (`core/mcp/waiting`), or made by the gateway once it is approved (`execute-approved.ts`).
 */
import type { Placement } from '#core/contracts/envelope.ts';

export interface WaitStrategy {
  /** Seconds the call waits; 0 answers at once that it is in review. */
  readonly holdSeconds: number;
  /** Called before each look at the approval, at most four times a second. */
  readonly onWait?: (waitedMs: number) => void;
  /** Whether the connection of the caller has ended. A caller that may come back is waited for, and meanwhile nothing runs. */
  readonly isGone?: (() => boolean) | undefined;
  /** Ends the wait. Its reason is thrown. */
  readonly signal?: AbortSignal;
  /**
   * Where the call goes now, undefined for nowhere; called once the call is approved, also where it is not held. Where it is absent, the
   * executors are asked.
   */
  readonly placed?: () => Promise<Placement | undefined>;
}

/** Waits in silence. */
export const waitingFor = (holdSeconds: number, isGone?: () => boolean): WaitStrategy => ({ holdSeconds, isGone });
