/**
 * What a call consumes of the tables, in DynamoDB's units: as the store reports them for the requests that the functions send.
 * `test/contract/cost.test.ts` makes the calls and holds these figures. Rows of indexes are among them: one `by_time` an entry; an
 * approval moves through `by_status` and `by_due`.
 */
export interface Units {
  readonly read: number;
  readonly write: number;
}

export const measured = {
  chat: { read: 2, write: 5 },
  stream: { read: 2, write: 7 },
  action: { read: 4, write: 7 },
  review: { read: 17.5, write: 61 },
  mcp: { read: 4, write: 16 },
} as const satisfies Record<string, Units>;

/** Entries that a call leaves, each of which is archived and counted. */
export const entries: Readonly<Record<Kind, number>> = { chat: 1, stream: 1, action: 1, review: 3, mcp: 2 };
export type Kind = keyof typeof measured;
