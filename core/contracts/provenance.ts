/** Sources of a call's values, as labels. The values' text is never included. */

/** Label of the user's own words, as passed on by the host. */
export const trusted = 'trusted';
/** Label of the host application's instructions (system and developer messages). */
export const system = 'system';
/** Label of values that occur neither in the user's words nor in any result of the session. */
export const unknown = 'unknown';

/** One occurrence of a value or part of it. */
export interface ValueOrigin {
  /** `trusted`, `system` or `tool:<tool>`. */
  readonly label: string;
  /** The MCP server or service that responded. */
  readonly server?: string | undefined;
  /** Envelope id of the action whose result contained the value. */
  readonly action?: string | undefined;
  /** Position in a conversation, such as `message 4`. */
  readonly where?: string | undefined;
  /** Set if only part of the value occurs there. */
  readonly part?: true | undefined;
}

/** Sources of one value. */
export interface ValueSource {
  /**
   * Labels of sources that contain the whole value: `trusted`, `system`, `tool:<tool>`, `server:<name>`, or only
   * `unknown`.
   */
  readonly whole: readonly string[];
  /** Labels of sources that contain only part of the value. */
  readonly parts: readonly string[];
  /** Set if the session's record is incomplete, so that other results may also contain the value. */
  readonly incomplete?: true | undefined;
  readonly from?: readonly ValueOrigin[] | undefined;
}

/** Sources, keyed by the JSON text of each value in the parameters. Missing values were not traced. */
export type CallSources = Readonly<Record<string, ValueSource>>;

/** Returns a value's key in `CallSources`. */
export const sourceKey = (value: unknown): string => JSON.stringify(value) ?? 'undefined';

/** Note on a decision about a value whose source a rule checked [provenance.rules]. */
export interface SourceNote {
  /** Path of the rule's condition. */
  readonly argument: string;
  readonly whole: readonly string[];
  readonly parts?: readonly string[] | undefined;
  /** Envelope ids of the actions whose results contained the value. */
  readonly actions?: readonly string[] | undefined;
  readonly where?: readonly string[] | undefined;
}

/** Sources of the values that rule conditions check, as labels and sentences without the values [provenance.rules]. */
export interface SourceNotes {
  readonly notes: readonly SourceNote[];
  readonly lines: readonly string[];
}
