/** The parts that a report is put together from, whatever its format. */

export interface Fact {
  readonly label: string;
  readonly value: string;
  /** Names and digests, as opposed to sentences. */
  readonly code?: boolean;
  /** The place of the action that the value names. */
  readonly to?: string;
}

export interface ActionStory {
  /** Its place within the report; none for what stands in no timeline. */
  readonly place?: string;
  readonly title: string;
  readonly outcome: string;
  readonly facts: readonly Fact[];
  /** Pretty-printed JSON, each with a heading. */
  readonly documents: readonly { readonly heading: string; readonly json: string }[];
}
