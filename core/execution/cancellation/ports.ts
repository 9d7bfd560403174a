/** Ports for cancelling a call that runs in another process. */

/** Name of a running call. It includes the owner, so that no other owner can refer to the call [cancel.any-process]. */
export interface CallName {
  readonly tenant: string;
  readonly key_id: string;
  /** Id of the call: an envelope id, or `mcp:` followed by a digest of session and request id. */
  readonly call: string;
}

interface CancellationRow {
  /** ISO time. */
  readonly asked_at: string;
  /** True once the process that runs the call has seen the cancellation request. */
  readonly taken: boolean;
}

export interface Cancellations {
  /** Requests the cancellation of a call. Repeating the request only updates its time. */
  ask(name: CallName, askedAt: string): Promise<void>;
  /** Returns the requested cancellation. May lag by a second unless `consistent` is set. */
  asked(name: CallName, options?: { readonly consistent?: boolean }): Promise<CancellationRow | undefined>;
  /** Confirms that the call is being ended. */
  take(name: CallName): Promise<void>;
}
