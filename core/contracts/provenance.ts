/** Where the values of a call come from, as rules and people see it: labels, never the text of a value. */

/** The person's own words, as the host passes them on. */
export const trusted = 'trusted';
/** Instructions of the host application (system and developer messages). */
export const system = 'system';
/** Neither in the person's words nor in a result the session has seen. */
export const unknown = 'unknown';

/** One place a value, or a part of it, was found at. */
export interface ValueOrigin {
  /** `trusted`, `system` or `tool:<tool>`. */
  readonly label: string;
  /** The MCP server or service that answered. */
  readonly server?: string | undefined;
  /** envelope_id of the action whose result it was. */
  readonly action?: string | undefined;
  /** Place in a conversation, such as `message 4`. */
  readonly where?: string | undefined;
  /** Only a part of the value was found there. */
  readonly part?: true | undefined;
}

/** What is known of one value. */
export interface ValueSource {
  /** Labels (`trusted`, `system`, `tool:<tool>`, `server:<name>`) of what holds the whole value; `unknown` alone if nothing does. */
  readonly whole: readonly string[];
  /** Labels of what holds a part of it and not the whole. */
  readonly parts: readonly string[];
  /** The record of the session is not complete: other results may hold it too. */
  readonly incomplete?: true | undefined;
  readonly from?: readonly ValueOrigin[] | undefined;
}

/** By the JSON text of each value among the parameters. A value that is missing was not traced. */
export type CallSources = Readonly<Record<string, ValueSource>>;

/** Key of a value in `CallSources`. */
export const sourceKey = (value: unknown): string => JSON.stringify(value) ?? 'undefined';

/** What a decision says of a value whose source a rule asked for [provenance.reasons]. */
export interface SourceNote {
  /** Path of the rule's condition. */
  readonly argument: string;
  readonly whole: readonly string[];
  readonly parts?: readonly string[] | undefined;
  /** envelope_ids of the actions whose results held it. */
  readonly actions?: readonly string[] | undefined;
  readonly where?: readonly string[] | undefined;
}
