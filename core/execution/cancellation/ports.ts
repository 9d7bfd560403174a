/** How a call is cancelled that another process runs. */

/** A running call. Its owner is part of its name, so another owner's key names another call [cancel.owner]. */
export interface CallName {
  readonly tenant: string;
  readonly key_id: string;
  /** An envelope id, or `mcp:` and a digest of session and request id. */
  readonly call: string;
}

interface AskedCancellation {
  /** ISO time. */
  readonly asked_at: string;
  /** The process that runs the call has seen it. */
  readonly taken: boolean;
}

export interface Cancellations {
  /** Asks for the end of a call. Asking again changes nothing but the time. */
  ask(name: CallName, askedAt: string): Promise<void>;
  /** Whether a cancellation was requested; may lag by a second where `consistent` is not set. */
  asked(name: CallName, options?: { readonly consistent?: boolean }): Promise<AskedCancellation | undefined>;
  /** Says that the call is ended for it. */
  take(name: CallName): Promise<void>;
}
