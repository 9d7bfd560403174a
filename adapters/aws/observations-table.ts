/**
 * Projections in DynamoDB (spec §4.3): what the evidence stream adds up to, each entry once.
 *
 * Access patterns: counters of a tenant by hour (Query `<tenant>#counters`, one item per hour, kind, tool and rule);
 * violations, newest first (Query `<tenant>#violations`); has this entry counted (`seen#<hash>`, put if absent in the
 * same transaction). An hour is many small items, never one that grows with the tool names callers think up.
 */
import {
  type DynamoDBClient,
  QueryCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type { TableName } from '#core/contracts/tables.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import type { Observations } from '#core/observatory/ports.ts';
import type { Projection, Violation } from '#core/observatory/project.ts';
import { type Counted, hoursOf, UsageSums } from '#core/observatory/usage.ts';
import { fromCursor, fromItem, type Item, stored, toCursor, toItem } from './items.ts';

export interface ObservationsOptions {
  readonly client: DynamoDBClient;
  readonly tables: Pick<Record<TableName, string>, 'observations'>;
  readonly pause?: (ms: number) => Promise<void>;
}

const keptSeconds = 90 * 24 * 3600;
/** A mark must outlive the counters it guards, or a late rebuild would count twice. */
const markKeptSeconds = keptSeconds + 7 * 24 * 3600;
const maxTries = 6;
/** At most three items an entry, and DynamoDB takes 100 in one transaction. */
const entriesAtOnce = 30;

const countersOf = (tenant: string) => `${tenant}#counters`;
const violationsOf = (tenant: string) => `${tenant}#violations`;
/** Names of any length become a key of bounded length. */
const counterKey = ({ timestamp, counter }: Projection) =>
  `${timestamp.slice(0, 13)}#${digestOf(counter).slice(0, 32)}`;

/** Marks, sums and violations of several entries as one transaction: an item may stand in it only once. */
export function projectionItems(TableName: string, projections: readonly Projection[]): TransactWriteItem[] {
  const sums = Map.groupBy(projections, (projection) => `${countersOf(projection.tenant)}#${counterKey(projection)}`);
  return [
    ...projections.map((projection) => markPut(TableName, projection)),
    ...[...sums.values()].map((same) => counterUpdate(TableName, same[0]!, same.length)),
    ...projections.flatMap((each) => (each.violation ? [violationPut(TableName, each, each.violation)] : [])),
  ];
}

const markPut = (TableName: string, { hash, timestamp }: Projection): TransactWriteItem => ({
  Put: {
    TableName,
    Item: toItem({ series: `seen#${hash}`, at: 'seen', ttl: ttlOf(timestamp, markKeptSeconds) }),
    ConditionExpression: 'attribute_not_exists(series)',
  },
});

function counterUpdate(TableName: string, projection: Projection, by: number): TransactWriteItem {
  const { tenant, timestamp, counter } = projection;
  return {
    Update: {
      TableName,
      Key: toItem({ series: countersOf(tenant), at: counterKey(projection) }),
      UpdateExpression: 'ADD #count :by SET #counter = :counter, #ttl = :ttl',
      ExpressionAttributeNames: { '#count': 'count', '#counter': 'counter', '#ttl': 'ttl' },
      ExpressionAttributeValues: toItem({ ':by': by, ':counter': counter, ':ttl': ttlOf(timestamp, keptSeconds) }),
    },
  };
}

const violationPut = (
  TableName: string,
  { tenant, timestamp, hash }: Projection,
  violation: Violation,
): TransactWriteItem => ({
  Put: {
    TableName,
    Item: toItem({
      ...violation,
      series: violationsOf(tenant),
      at: `${timestamp}#${hash}`,
      ttl: ttlOf(timestamp, keptSeconds),
    }),
  },
});

const ttlOf = (timestamp: string, seconds: number) => Math.floor(Date.parse(timestamp) / 1000) + seconds;

export function observationsTable({ client, tables, pause = sleep }: ObservationsOptions): Observations {
  const TableName = tables.observations;

  /** A group that holds an entry counted before is applied one by one: that only happens after a crash or a rebuild. */
  async function applyGroup(group: readonly Projection[]): Promise<void> {
    const TransactItems = projectionItems(TableName, group);
    for (let attempt = 1; ; attempt++) {
      try {
        await client.send(new TransactWriteItemsCommand({ TransactItems }));
        return;
      } catch (cause) {
        const codes = reasonCodes(cause);
        const counted = codes.includes('ConditionalCheckFailed');
        if (counted && group.length > 1) for (const projection of group) await applyGroup([projection]);
        if (counted) return;
        // Another shard raised the same counter at the same moment.
        if (attempt === maxTries || !codes.includes('TransactionConflict')) return stored(Promise.reject(cause));
        await pause(Math.random() * 10 * 2 ** attempt);
      }
    }
  }

  return {
    async apply(projections) {
      const each = [...new Map(projections.map((projection) => [projection.hash, projection])).values()];
      for (let i = 0; i < each.length; i += entriesAtOnce) await applyGroup(each.slice(i, i + entriesAtOnce));
    },

    async usage(tenant, query) {
      const { first, last } = hoursOf(query);
      const sums = new UsageSums();
      let next: Item | undefined;
      do {
        const page = await stored(
          client.send(
            new QueryCommand({
              TableName,
              KeyConditionExpression: 'series = :series AND #at BETWEEN :first AND :last',
              ExpressionAttributeNames: { '#at': 'at' },
              // `~` sorts after every key of the last hour.
              ExpressionAttributeValues: toItem({
                ':series': countersOf(tenant),
                ':first': first,
                ':last': `${last}~`,
              }),
              ...(next && { ExclusiveStartKey: next }),
            }),
          ),
        );
        for (const item of page.Items ?? []) sums.add(toCounted(item));
        next = page.LastEvaluatedKey;
      } while (next);
      return sums.of(tenant, query);
    },

    async violations(tenant, { limit, cursor }) {
      const start = fromCursor(cursor, ['series', 'at']);
      const series = violationsOf(tenant);
      const page = await stored(
        client.send(
          new QueryCommand({
            TableName,
            KeyConditionExpression: 'series = :series',
            ExpressionAttributeValues: toItem({ ':series': series }),
            ScanIndexForward: false,
            Limit: limit,
            // Of a cursor only the place counts; whose series is read never comes from the caller.
            ...(start && { ExclusiveStartKey: { ...start, ...toItem({ series }) } }),
          }),
        ),
      );
      const next = toCursor(page.LastEvaluatedKey);
      return { items: (page.Items ?? []).map(toViolation), ...(next && { cursor: next }) };
    },
  };
}

function toCounted(item: Item): Counted {
  const { counter, count } = fromItem(item) as { counter: Omit<Counted, 'count'>; count: number };
  return { ...counter, count };
}

function toViolation(item: Item): Violation {
  const { series: _series, ttl: _ttl, at, ...rest } = fromItem(item);
  return { ...rest, at: String(at).split('#')[0] } as unknown as Violation;
}

/** Why each item of a transaction was refused; empty for any other fault. */
function reasonCodes(cause: unknown): readonly (string | undefined)[] {
  const { CancellationReasons } = cause as { CancellationReasons?: readonly { Code?: string }[] };
  return (CancellationReasons ?? []).map(({ Code }) => Code);
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
