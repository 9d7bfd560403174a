/** The parts of a report, in any format. */

export interface Fact {
  readonly label: string;
  readonly value: string;
  /** Whether the value is a name or digest, to be shown as code. */
  readonly code?: boolean;
  /** The location of the action named by the value. */
  readonly to?: string;
}

export interface ActionStory {
  /** The action's location within the report. Absent for sections outside the timeline. */
  readonly place?: string;
  readonly title: string;
  readonly outcome: string;
  readonly facts: readonly Fact[];
  /** Pretty-printed JSON documents, each with a heading. */
  readonly documents: readonly { readonly heading: string; readonly json: string }[];
}
