/**
 * DynamoDB units that a call consumes, as the store reports them for the functions' requests.
 * `test/contract/cost.test.ts` makes the calls and checks these figures. Index rows are included: one `by_time` row per
 * entry, and an approval's moves through `by_status` and `by_due`.
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

/** Number of entries that a call writes. Each entry is archived and counted. */
export const entries: Readonly<Record<MeasurementKind, number>> = { chat: 1, stream: 1, action: 1, review: 3, mcp: 2 };
export type MeasurementKind = keyof typeof measured;
