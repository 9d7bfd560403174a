/** What a session has seen, kept as keyed digests: no text of it can be read from the store [provenance.no-text]. */

export interface SessionName {
  readonly tenant: string;
  readonly session: string;
}

/** One text or result of a session. */
export interface SeenEntry {
  /** Of the action whose result it is, or a digest of the message: put once. */
  readonly id: string;
  /** `trusted`, `system` or `tool:<tool>`. */
  readonly label: string;
  readonly server?: string | undefined;
  readonly action?: string | undefined;
  /** Sorted digests of 8 bytes each, under the session's key. */
  readonly digests: Uint8Array;
}

export interface SessionSeen {
  /** Random, of this session alone, in hexadecimal. */
  readonly key: string;
  readonly entries: readonly SeenEntry[];
  /** Something the session has seen is not among the entries: it was too much, or is older than what is kept. */
  readonly gap: boolean;
}

/** @throws GatewayError `service_unavailable`, every method. */
export interface ProvenanceStore {
  /** Consistent read; undefined for a session without a record. */
  recall(name: SessionName, nowMs: number): Promise<SessionSeen | undefined>;
  /** The key of the session's record and how many digests it holds; opened with this one where there is none. */
  open(name: SessionName, key: string, nowMs: number, keptSeconds: number): Promise<{ key: string; digests: number }>;
  /** Puts an entry once. False where it is there already. */
  put(name: SessionName, entry: SeenEntry, nowMs: number, keptSeconds: number): Promise<boolean>;
  /** Counts digests that were put, or notes that something was left out. */
  grow(
    name: SessionName,
    by: { readonly digests: number; readonly gap: boolean },
    nowMs: number,
    keptSeconds: number,
  ): Promise<void>;
}

export interface ProvenancePort {
  /** What sessions have seen, for rules on sources; where it is absent nothing is remembered. */
  readonly provenance: ProvenanceStore | undefined;
}
