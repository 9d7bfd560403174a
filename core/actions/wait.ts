/** How a call that needs a person's decision waits for it in place. */
export interface WaitStrategy {
  /** Seconds the call waits; 0 answers at once that it is in review. */
  readonly holdSeconds: number;
  /** Called before each look at the approval, at most four times a second. */
  readonly onWait?: (waitedMs: number) => void;
  /** Ends the wait: the caller left. Its reason is thrown. */
  readonly signal?: AbortSignal;
  /**
   * Whether the tool of the call is what it was when the approval was asked for; called once the call is approved, also where it is
   * not held. Where it is absent, the executors are asked where the call goes.
   */
  readonly isSameTool?: () => Promise<boolean>;
}

/** Waits in silence. */
export const waitingFor = (holdSeconds: number): WaitStrategy => ({ holdSeconds });
