/** The parts that a report is put together from, whatever its format. */

export interface Fact {
  readonly label: string;
  readonly value: string;
  /** Names and digests, as opposed to sentences. */
  readonly code?: boolean;
}

export interface ActionStory {
  readonly title: string;
  readonly outcome: string;
  readonly facts: readonly Fact[];
  /** Pretty-printed JSON, each with a heading. */
  readonly documents: readonly { readonly heading: string; readonly json: string }[];
}
