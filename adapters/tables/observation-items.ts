/**
 * Rows of the observations table, and the writes that create them. One mark per entry (`seen#<hash>`, in a clustered
 * store by time), one record per batch (`batch#<writer>#<number>`), one sum per hour and counter (`<tenant>#counters`),
 * one sum per minute and dimension (`<scope>#minutes#<dimension>`, `observation-minutes.ts`) and one per hour
 * (`#hours#`), one row per violation (`<tenant>#violations`), per chat call (`<tenant>#requests`) and per evaluator
 * score for a call (`<tenant>#scores`, at the call's place). Each hour is stored as many small items, never as one that
 * grows with the names callers invent.
 */
import { digestOf } from '#core/kernel/canonical.ts';
import type { Score } from '#core/observatory/evaluation/score.ts';
import { addUp } from '#core/observatory/measures.ts';
import type { Projection } from '#core/observatory/projection.ts';
import { type RequestRow, recentHours } from '#core/observatory/request-row.ts';
import type { UsageCounter } from '#core/observatory/usage.ts';
import type { Violation } from '#core/observatory/violation.ts';
import { type CountedProjection, minuteSums } from './observation-minutes.ts';
import { type Sum, sumMark, sumsOfRow, ttlOf, writerMark } from './observation-sums.ts';
import type { Change, Condition, Key, Row, Write } from './store.ts';

const observationRetentionDays = 90;
const keptSeconds = observationRetentionDays * 24 * 3600;
/**
 * Time for which a mark is kept. It must outlive the counters it protects; otherwise a late rebuild would count an
 * entry twice.
 */
const markKeptSeconds = keptSeconds + 7 * 24 * 3600;
const recentSeconds = recentHours * 3600;
/** Maximum number of marks in a transaction, which DynamoDB limits to 100 items: the marks and the batch's record. */
const maxMarksPerTransaction = 99;
/** Maximum number of characters in a batch's record. Each takes up to three bytes, and DynamoDB accepts 400 kB. */
const recordCharacters = 100_000;

export const countersOf = (tenant: string) => `${tenant}#counters`;
export const violationsOf = (tenant: string) => `${tenant}#violations`;
export const requestsOf = (tenant: string) => `${tenant}#requests`;
export const scoresOf = (tenant: string) => `${tenant}#scores`;

/** Identification of a batch: its writer, and the number of that writer's earlier batches. */
export interface BatchId {
  readonly writer: string;
  readonly number: number;
}

export const batchKey = ({ writer, number }: BatchId): Key => ({ series: `batch#${writer}#${number}`, at: 'batch' });

/**
 * Returns the marks, one per projection and in the same order, each naming its batch, followed by the batch's record.
 */
export function claimPuts(batch: BatchId, { projections, text }: Group, clustered = false): Write[] {
  const ttl = Math.max(...projections.map(({ timestamp }) => ttlOf(timestamp, markKeptSeconds)));
  return [
    ...projections.map(({ hash, timestamp }): Write => {
      const ttl = ttlOf(timestamp, markKeptSeconds);
      const key = clustered ? { series: 'seen', at: `${ttl}#${hash}` } : { series: `seen#${hash}`, at: 'seen' };
      return { put: 'observations', row: { ...key, ...batch, ttl }, if: { absent: 'series' }, current: true };
    }),
    { put: 'observations', row: { ...batchKey(batch), sums: text, ttl } },
  ];
}

/** Returns the sums that a batch still has to add; empty once the batch is done. */
export const sumsOfBatch = (record: Row | undefined): readonly Sum[] =>
  JSON.parse(String(record?.sums ?? '[]')) as Sum[];

/** Marks a batch as done. */
export const batchDone: { readonly change: Change; readonly if: Condition } = {
  change: { remove: ['sums'] },
  if: { present: 'series' },
};

/** Returns the sums of all projections, with each item once. */
function sumsOfAll(projections: readonly CountedProjection[]): Sum[] {
  return [...Map.groupBy(projections.flatMap(sumsOf), sumKey).values()].map((same) => ({
    ...same[0]!,
    measures: addUp(same.map((sum) => sum.measures)),
  }));
}

/** A batch to count: the projections, their sums, and the sums as text for the batch's record. */
export interface Group {
  readonly projections: readonly CountedProjection[];
  readonly sums: readonly Sum[];
  readonly text: string;
}

export function groupOf(projections: readonly CountedProjection[]): Group {
  const sums = sumsOfAll(projections);
  return { projections, sums, text: JSON.stringify(sums) };
}

/**
 * Splits projections, keeping their order, into batches whose marks fit into one transaction and whose sums fit into
 * one record.
 */
export function groupsOf(projections: readonly CountedProjection[]): Group[] {
  if (projections.length === 0) return [];
  const few = projections.length <= maxMarksPerTransaction;
  const whole = few ? groupOf(projections) : undefined;
  if (whole && (projections.length === 1 || whole.text.length <= recordCharacters)) return [whole];
  const half = few ? Math.ceil(projections.length / 2) : maxMarksPerTransaction;
  return [...groupsOf(projections.slice(0, half)), ...groupsOf(projections.slice(half))];
}

/** Returns the rows of violations, requests and scores. Putting them again writes the same rows. */
export const rowsOfAll = (projections: readonly Projection[]): Row[] => projections.flatMap(rowsOf);

/** Shortens a name of any length to a key of fixed length. */
const fixedLengthName = (name: unknown): string => digestOf(name).slice(0, 32);

function sumsOf(projection: CountedProjection): Sum[] {
  const { tenant, timestamp, counter, measures = {} } = projection;
  return [
    {
      series: countersOf(tenant),
      at: `${timestamp.slice(0, 13)}#${fixedLengthName(counter)}`,
      of: { counter },
      measures: { ...measures, count: 1 },
      ttl: ttlOf(timestamp, keptSeconds),
    },
    ...minuteSums(projection),
  ];
}

const sumKey = ({ series, at }: Sum): string => `${series}#${at}`;

/**
 * Returns the update that adds a batch's sum only once, even if repeated: the row records each writer's last batch, and
 * a writer begins its next batch only when the previous one is done.
 */
export function sumUpdate(
  { writer, number }: BatchId,
  { of, ttl, measures }: Sum,
): { readonly change: Change; readonly if: Condition } {
  const lastOfWriter = `${writerMark}${writer}`;
  return {
    change: {
      add: Object.fromEntries(Object.entries(measures).map(([name, value]) => [`${sumMark}${name}`, value])),
      set: { ...of, ttl, [lastOfWriter]: number },
    },
    if: { any: [{ absent: lastOfWriter }, { below: [lastOfWriter, number] }] },
  };
}

function rowsOf({ tenant, timestamp, hash, violations = [], request, evaluated }: Projection): Row[] {
  const place = `${timestamp}#${hash}`;
  return [
    ...violations.map((violation, n) => ({
      ...violation,
      series: violationsOf(tenant),
      at: n === 0 ? place : `${place}#${String(n).padStart(2, '0')}`,
      ttl: ttlOf(timestamp, keptSeconds),
    })),
    // Stored as text: every call writes one, and text is much cheaper to write than twenty attributes.
    ...(request
      ? [{ series: requestsOf(tenant), at: place, row: JSON.stringify(request), ttl: ttlOf(timestamp, recentSeconds) }]
      : []),
    ...(evaluated ? [scoreRow(tenant, evaluated)] : []),
  ];
}

const scoreRow = (tenant: string, { at, entry, said }: NonNullable<Projection['evaluated']>): Row => ({
  series: scoresOf(tenant),
  at: `${at}#${entry}`,
  row: JSON.stringify(said),
  ttl: ttlOf(at, recentSeconds),
});

export const toScore = (row: Row): Score => JSON.parse(String(row.row ?? '{}')) as Score;

export function toCounted(row: Row): UsageCounter {
  const counter = row.counter as Omit<UsageCounter, 'count' | 'measures'>;
  const { count = 0, ...measures } = sumsOfRow(row);
  return { ...counter, count, measures };
}

export const toRequestRow = (row: Row): RequestRow => JSON.parse(String(row.row ?? '{}')) as RequestRow;

export function toViolation({ series: _series, ttl: _ttl, at, ...rest }: Row): Violation {
  return { ...rest, at: String(at).split('#')[0] } as unknown as Violation;
}
