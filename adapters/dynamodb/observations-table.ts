/**
 * Projections in DynamoDB: sums over the evidence stream, each entry counted once.
 *
 * Access patterns: counters of a tenant by hour, its dimensions by minute (Query a range of one series); violations and
 * requests, newest first (Query one series); check whether an entry was counted (put of a mark if absent).
 *
 * Applying a batch: its rows, then a transaction of marks and the batch's record, then one plain update per sum, then
 * the record is emptied. No two batches share an item of the transaction, so parallel consumers do not delay each
 * other. A batch that stopped midway is finished by the first run that meets one of its marks (`docs/decisions/0061`).
 */

import { randomBytes } from 'node:crypto';
import {
  BatchWriteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import type { TableName } from '#core/contracts/tables.ts';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import type { Page } from '#core/kernel/page.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { sideBySide } from '#core/kernel/side-by-side.ts';
import type { Score } from '#core/observatory/evaluation/message.ts';
import type { Observations } from '#core/observatory/ports.ts';
import type { Projection } from '#core/observatory/projection.ts';
import type { RequestRow } from '#core/observatory/request-row.ts';
import { hoursOf, UsageSums } from '#core/observatory/usage.ts';
import { dimensionNames } from './dimension-names.ts';
import { fromCursor, type Item, stored, toCursor, toItem } from './items.ts';
import {
  type BatchId,
  batchDone,
  batchGet,
  batchOfMark,
  claimItems,
  countersOf,
  type Group,
  groupOf,
  groupsOf,
  requestsOf,
  rowPuts,
  scoresOf,
  sumsOfBatch,
  sumUpdate,
  toCounted,
  toRequestRow,
  toScore,
  toViolation,
  violationsOf,
} from './observation-items.ts';
import { replacedMinute, withHours, withMinutes } from './observation-minutes.ts';
import type { Sum } from './observation-sums.ts';
import { queried } from './query-pages.ts';
import { type Range, timedSums } from './timed-sums.ts';

interface ObservationsOptions {
  readonly client: DynamoDBClient;
  readonly tables: Pick<Record<TableName, string>, 'observations'>;
  readonly pause?: (ms: number) => Promise<void>;
}

/** Numbers its batches. Sums remember each writer's last batch. */
interface Writer {
  readonly name: string;
  number: number;
  /** The batch that was begun and may not have ended. */
  unfinished: BatchId | undefined;
}

const maxTries = 6;
/** DynamoDB takes 25 rows per request. */
const batchWriteSize = 25;
const minuteConcurrency = 25;
/** Maximum number of reads for a filtered page, which then returns its matches and a cursor. */
const readsPerPage = 10;
const rowsPerRead = 500;

export function observationsTable({ client, tables, pause = sleep }: ObservationsOptions): Observations {
  const TableName = tables.observations;

  const names = dimensionNames(client, TableName);
  const writers: Writer[] = [];

  /** Sends an update. A repetition of an earlier one is not a fault. */
  const update = (input: ConstructorParameters<typeof UpdateItemCommand>[0]): Promise<unknown> =>
    client.send(new UpdateItemCommand(input)).catch((cause: Error) => {
      if (!isErrorNamed(cause, 'ConditionalCheckFailedException')) throw cause;
    });

  async function addSums(batch: BatchId, sums: readonly Sum[]): Promise<void> {
    for (const step of withHours(sums))
      await stored(Promise.all(step.map((sum) => update(sumUpdate(TableName, batch, sum)))));
    await stored(update(batchDone(TableName, batch)));
  }

  /** Finishes a batch that some consumer began; does not change a finished one. */
  async function finish(batch: BatchId): Promise<void> {
    const { Item: record } = await stored(client.send(new GetItemCommand(batchGet(TableName, batch))));
    const sums = sumsOfBatch(record);
    if (sums.length > 0) await addSums(batch, sums);
  }

  async function putRows(projections: readonly Projection[]): Promise<void> {
    const rows = rowPuts(projections);
    for (let i = 0; i < rows.length; i += batchWriteSize) {
      let left: WriteRequest[] = rows.slice(i, i + batchWriteSize);
      for (let attempt = 1; left.length > 0; attempt++) {
        const { UnprocessedItems } = await stored(
          client.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: left } })),
        );
        left = UnprocessedItems?.[TableName] ?? [];
        if (left.length > 0 && attempt === maxTries)
          throw new Error(`${left.length} rows were not taken by ${TableName}`);
        if (left.length > 0) await pause(Math.random() * 10 * 2 ** attempt);
      }
    }
  }

  /**
   * Marks the entries as counted by this batch. @returns its sums, and the batches that had claimed the other entries.
   */
  async function claim(batch: BatchId, group: Group) {
    const others = new Map<string, BatchId>();
    let left = group;
    for (let attempt = 1; left.projections.length > 0; attempt++) {
      try {
        await client.send(new TransactWriteItemsCommand({ TransactItems: claimItems(TableName, batch, left) }));
        return { sums: left.sums, others };
      } catch (cause) {
        const reasons = reasonsOf(cause);
        const known = (n: number) => reasons[n]?.Code === 'ConditionalCheckFailed';
        for (const [n, { Item: mark }] of reasons.entries()) {
          const other = known(n) ? batchOfMark(mark) : undefined;
          if (other) others.set(`${other.writer}#${other.number}`, other);
        }
        const fresh = left.projections.filter((_, n) => !known(n));
        if (fresh.length < left.projections.length) attempt = 0;
        // The same entries arrive twice at the same moment: one of the two is first.
        else if (attempt === maxTries || !reasons.some(({ Code }) => Code === 'TransactionConflict')) throw cause;
        else await pause(Math.random() * 10 * 2 ** attempt);
        left = groupOf(fresh);
      }
    }
    return { sums: [], others };
  }

  async function applyGroup(writer: Writer, group: Group): Promise<void> {
    // The writer's unfinished batch comes first: its next number means that all earlier ones are done.
    if (writer.unfinished) await finish(writer.unfinished);
    await putRows(group.projections);
    const batch = { writer: writer.name, number: ++writer.number };
    writer.unfinished = batch;
    const { sums, others } = await stored(claim(batch, group));
    for (const other of others.values()) await finish(other);
    if (sums.length > 0) await addSums(batch, sums);
    writer.unfinished = undefined;
  }

  const range: Range = (series, first, last, consistent = false) =>
    queried(client, {
      TableName,
      KeyConditionExpression: 'series = :series AND #at BETWEEN :first AND :last',
      ExpressionAttributeNames: { '#at': 'at' },
      // `~` sorts after every key of the last hour or minute.
      ExpressionAttributeValues: toItem({ ':series': series, ':first': first, ':last': `${last}~` }),
      ...(consistent && { ConsistentRead: true }),
    });

  /** Reads rows of a series, newest first, from the cursor on. */
  async function newest(series: string, limit: number, start: Item | undefined, since = '') {
    const page = await stored(
      client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: `series = :series${since && ' AND #at >= :since'}`,
          ...(since && { ExpressionAttributeNames: { '#at': 'at' } }),
          ExpressionAttributeValues: toItem({ ':series': series, ...(since && { ':since': since }) }),
          ScanIndexForward: false,
          Limit: limit,
          // A cursor only sets the position; the caller never chooses the series.
          ...(start && { ExclusiveStartKey: { ...start, ...toItem({ series }) } }),
        }),
      ),
    );
    return { items: page.Items ?? [], next: page.LastEvaluatedKey };
  }

  /** Adds the evaluators' scores to rows. */
  async function scored(tenant: string, found: readonly { readonly place: string; readonly row: RequestRow }[]) {
    const [newestRow, oldestRow] = [found[0], found.at(-1)];
    if (!newestRow || !oldestRow) return [];
    const scores = new Map<string, Score>();
    for await (const item of range(scoresOf(tenant), oldestRow.place, newestRow.place))
      scores.set(item.at?.S ?? '', toScore(item));
    return found.map(({ place, row }) => {
      const evaluation = scores.get(place);
      return evaluation ? { ...row, evaluation } : row;
    });
  }

  return {
    async apply(projections) {
      const each = [...new Map(projections.map((projection) => [projection.hash, projection])).values()];
      // A writer has one batch at a time: parallel calls use different writers.
      const writer = writers.pop() ?? { name: randomBytes(5).toString('hex'), number: 0, unfinished: undefined };
      try {
        const counted = await withMinutes(each, names.counted);
        for (const group of groupsOf(counted)) await applyGroup(writer, group);
      } finally {
        writers.push(writer);
      }
    },

    async usage(tenant, query) {
      const { first, last } = hoursOf(query);
      const sums = new UsageSums();
      for await (const item of range(countersOf(tenant), first, last)) sums.add(toCounted(item));
      return sums.of(tenant, query);
    },

    async violations(tenant, { limit, cursor }) {
      const { items, next } = await newest(violationsOf(tenant), limit, fromCursor(cursor, ['series', 'at']));
      return page(items.map(toViolation), next);
    },

    async requests(tenant, { since, model, outcome, limit, cursor }) {
      const series = requestsOf(tenant);
      const filtered = model !== undefined || outcome !== undefined;
      const found: { readonly place: string; readonly row: RequestRow }[] = [];
      let start = fromCursor(cursor, ['series', 'at']);
      for (let reads = 0; reads < readsPerPage && found.length < limit; reads++) {
        const { items, next } = await newest(series, filtered ? rowsPerRead : limit, start, since);
        for (const item of items) {
          const row = toRequestRow(item);
          const named = model === undefined || row.model === model || row.resolved_model === model;
          if (!named || (outcome !== undefined && row.outcome !== outcome)) continue;
          found.push({ place: item.at?.S ?? '', row });
          if (found.length === limit && item !== items.at(-1)) return page(await scored(tenant, found), placeOf(item));
        }
        if (next === undefined) return page(await scored(tenant, found), undefined);
        start = next;
      }
      return page(await scored(tenant, found), start);
    },

    ...timedSums(range),

    async replaceMinutes(dimension, minutes) {
      await sideBySide(minutes, minuteConcurrency, (minute) =>
        stored(client.send(new PutItemCommand({ TableName, Item: replacedMinute(dimension, minute) }))),
      );
    },

    dimensions: (scope, { from, to }) => names.listed(scope, daysBetween(from, to)),
  };
}

const dayMs = 24 * 3_600_000;

/** Returns each UTC day from one ISO time to another, both included, as far back as minutes are stored. */
function daysBetween(from: string, to: string): string[] {
  const start = Math.floor(Math.max(Date.parse(from), Date.parse(to) - 3 * dayMs) / dayMs) * dayMs;
  const count = Math.max(0, Math.floor((Date.parse(to) - start) / dayMs) + 1);
  return Array.from({ length: count }, (_, n) => isoTime(start + n * dayMs).slice(0, 10));
}

function page<T>(items: readonly T[], next: Item | undefined): Page<T> {
  const cursor = toCursor(next);
  return { items, ...(cursor && { cursor }) };
}

const placeOf = ({ series, at }: Item): Item => ({ series: series!, at: at! });

/** Returns the reason for each item of a refused transaction, with the stored item; empty for any other fault. */
const reasonsOf = (cause: unknown): readonly { Code?: string; Item?: Item }[] =>
  (cause as { CancellationReasons?: readonly { Code?: string; Item?: Item }[] }).CancellationReasons ?? [];

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
