/**
 * Stores the values that a session has seen as keyed digests, from which the text cannot be recovered
 * [provenance.session].
 */
import type { SessionName } from '#core/session/value-tracer.ts';

/** One message or result that a session has seen. */
export interface SeenEntry {
  /** Id of the action that produced the result, or a digest of the message. Each id is stored once. */
  readonly id: string;
  /** `trusted`, `system` or `tool:<tool>`. */
  readonly label: string;
  readonly server?: string | undefined;
  readonly action?: string | undefined;
  /** Sorted digests of 8 bytes each, under the session's key. */
  readonly digests: Uint8Array;
}

export interface SessionSeen {
  /** Random key of this session, in hexadecimal. */
  readonly key: string;
  readonly entries: readonly SeenEntry[];
  /** Whether entries are missing because they were too large or have expired. */
  readonly gap: boolean;
}

/** Store for the values that sessions have seen. @throws GatewayError `service_unavailable`, from every method. */
export interface ProvenanceStore {
  /** Reads a session's record consistently; undefined if there is none. */
  recall(name: SessionName, nowMs: number): Promise<SessionSeen | undefined>;
  /**
   * Returns the key of the session's record and its number of digests. If there is no record, creates one with the
   * given key.
   */
  open(name: SessionName, key: string, nowMs: number, keptSeconds: number): Promise<{ key: string; digests: number }>;
  /** Stores an entry once. Returns false if it already exists. */
  put(name: SessionName, entry: SeenEntry, nowMs: number, keptSeconds: number): Promise<boolean>;
  /** Increases the number of digests, or records a gap. */
  grow(
    name: SessionName,
    by: { readonly digests: number; readonly gap: boolean },
    nowMs: number,
    keptSeconds: number,
  ): Promise<void>;
}
