/**
 * Projections in DynamoDB (spec §4.3): what the evidence stream adds up to, each entry once.
 *
 * Access patterns: counters of a tenant by hour, its points by minute (Query a range of one series); violations and
 * requests, newest first (Query one series); has this entry counted (put if absent in the same transaction as its sums).
 */
import { type DynamoDBClient, QueryCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import type { TableName } from '#core/contracts/tables.ts';
import type { Page } from '#core/evidence/ports.ts';
import type { Observations } from '#core/observatory/ports.ts';
import type { Projection } from '#core/observatory/projection.ts';
import type { RequestRow } from '#core/observatory/request-row.ts';
import { hoursOf, UsageSums } from '#core/observatory/usage.ts';
import { fromCursor, type Item, stored, toCursor, toItem } from './items.ts';
import {
  countersOf,
  pointsOf,
  projectionItems,
  requestsOf,
  toCounted,
  toMinuteSums,
  toRequestRow,
  toViolation,
  transactions,
  violationsOf,
} from './observation-items.ts';

export interface ObservationsOptions {
  readonly client: DynamoDBClient;
  readonly tables: Pick<Record<TableName, string>, 'observations'>;
  readonly pause?: (ms: number) => Promise<void>;
}

const maxTries = 6;
/** How many reads a filtered page may take before it answers with what it has and a cursor. */
const readsPerPage = 10;
const rowsPerRead = 500;

export function observationsTable({ client, tables, pause = sleep }: ObservationsOptions): Observations {
  const TableName = tables.observations;

  /** Entries that have counted before are left out of the group: that happens after a crash and in a rebuild. */
  async function applyGroup(group: readonly Projection[]): Promise<void> {
    let left = group;
    for (let attempt = 1; left.length > 0; attempt++) {
      try {
        await client.send(new TransactWriteItemsCommand({ TransactItems: projectionItems(TableName, left) }));
        return;
      } catch (cause) {
        const codes = reasonCodes(cause);
        const fresh = left.filter((_, n) => codes[n] !== 'ConditionalCheckFailed');
        const refused = fresh.length < left.length;
        left = fresh;
        if (refused) attempt = 0;
        // Another shard raised the same counter at the same moment.
        else if (attempt === maxTries || !codes.includes('TransactionConflict')) return stored(Promise.reject(cause));
        else await pause(Math.random() * 10 * 2 ** attempt);
      }
    }
  }

  /** Every item of a series between two places, both included. */
  async function* range(series: string, first: string, last: string): AsyncIterable<Item> {
    let next: Item | undefined;
    do {
      const page = await stored(
        client.send(
          new QueryCommand({
            TableName,
            KeyConditionExpression: 'series = :series AND #at BETWEEN :first AND :last',
            ExpressionAttributeNames: { '#at': 'at' },
            // `~` sorts after every key of the last hour or minute.
            ExpressionAttributeValues: toItem({ ':series': series, ':first': first, ':last': `${last}~` }),
            ...(next && { ExclusiveStartKey: next }),
          }),
        ),
      );
      yield* page.Items ?? [];
      next = page.LastEvaluatedKey;
    } while (next);
  }

  /** Rows of a series, newest first, from the cursor's place on. */
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
          // Of a cursor only the place counts; whose series is read never comes from the caller.
          ...(start && { ExclusiveStartKey: { ...start, ...toItem({ series }) } }),
        }),
      ),
    );
    return { items: page.Items ?? [], next: page.LastEvaluatedKey };
  }

  return {
    async apply(projections) {
      const each = [...new Map(projections.map((projection) => [projection.hash, projection])).values()];
      for (const group of transactions(each)) await applyGroup(group);
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
      const found: RequestRow[] = [];
      let start = fromCursor(cursor, ['series', 'at']);
      for (let reads = 0; reads < readsPerPage && found.length < limit; reads++) {
        const { items, next } = await newest(series, filtered ? rowsPerRead : limit, start, since);
        for (const item of items) {
          const row = toRequestRow(item);
          const named = model === undefined || row.model === model || row.resolved_model === model;
          if (!named || (outcome !== undefined && row.outcome !== outcome)) continue;
          found.push(row);
          if (found.length === limit && item !== items.at(-1)) return page(found, placeOf(item));
        }
        if (next === undefined) return page(found, undefined);
        start = next;
      }
      return page(found, start);
    },

    async points(tenant, { series, from, to, name }) {
      const sums = [];
      for await (const item of range(pointsOf(tenant, series), from.slice(0, 16), to.slice(0, 16))) {
        const minute = toMinuteSums(item);
        if (name === undefined || minute.name === name) sums.push(minute);
      }
      return sums;
    },
  };
}

function page<T>(items: readonly T[], next: Item | undefined): Page<T> {
  const cursor = toCursor(next);
  return { items, ...(cursor && { cursor }) };
}

const placeOf = ({ series, at }: Item): Item => ({ series: series!, at: at! });

/** Why each item of a transaction was refused; empty for any other fault. */
function reasonCodes(cause: unknown): readonly (string | undefined)[] {
  const { CancellationReasons } = cause as { CancellationReasons?: readonly { Code?: string }[] };
  return (CancellationReasons ?? []).map(({ Code }) => Code);
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
