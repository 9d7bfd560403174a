/**
 * Projections in DynamoDB. series = `tenant#counters` (one item per hour, one number per counter),
 * `tenant#violations` (one item per violation), `seen#<hash>` (an entry's mark, so that it counts once).
 */
import { QueryCommand, type TransactWriteItem, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import type { Observations, Usage } from '#core/observatory/ports.ts';
import type { Projection, Violation } from '#core/observatory/project.ts';
import type { StoreOptions } from './evidence-table.ts';
import { fromCursor, fromItem, stored, toCursor, toItem } from './items.ts';

const keptSeconds = 90 * 24 * 3600;
const ttlOf = (timestamp: string) => Math.floor(Date.parse(timestamp) / 1000) + keptSeconds;

const countersOf = (tenant: string) => `${tenant}#counters`;
const violationsOf = (tenant: string) => `${tenant}#violations`;

export function projectionItems(TableName: string, projection: Projection): TransactWriteItem[] {
  const { tenant, hash, timestamp, counters, violation } = projection;
  const ttl = ttlOf(timestamp);
  const names = Object.fromEntries(counters.map((counter, i) => [`#c${i}`, counter]));
  const sums = counters.map((_, i) => `#c${i} :one`).join(', ');
  return [
    {
      Put: {
        TableName,
        Item: toItem({ series: `seen#${hash}`, at: 'seen', ttl }),
        ConditionExpression: 'attribute_not_exists(series)',
      },
    },
    {
      Update: {
        TableName,
        Key: toItem({ series: countersOf(tenant), at: timestamp.slice(0, 13) }),
        UpdateExpression: `ADD ${sums} SET #ttl = :ttl`,
        ExpressionAttributeNames: { ...names, '#ttl': 'ttl' },
        ExpressionAttributeValues: toItem({ ':one': 1, ':ttl': ttl }),
      },
    },
    ...(violation
      ? [{ Put: { TableName, Item: toItem({ series: violationsOf(tenant), ...violation, at: `${timestamp}#${hash}`, ttl }) } }]
      : []),
  ];
}

export function observationsTable({ client, tables }: StoreOptions): Observations {
  const TableName = tables.observations;
  return {
    async apply(projection) {
      const TransactItems = projectionItems(TableName, projection);
      try {
        await client.send(new TransactWriteItemsCommand({ TransactItems }));
      } catch (cause) {
        const { CancellationReasons } = cause as { CancellationReasons?: { Code?: string }[] };
        if (CancellationReasons?.[0]?.Code === 'ConditionalCheckFailed') return;
        await stored(Promise.reject(cause));
      }
    },

    async usage(tenant, query) {
      const to = query.to ?? new Date(8.64e15).toISOString();
      const from = query.from ?? '';
      const usage: Usage = { tenant, from, to, total: 0, decisions: {}, protocols: {}, tools: {} };
      const sums = { decision: usage.decisions, protocol: usage.protocols, tool: usage.tools } as Record<string, Record<string, number>>;
      let next: Parameters<typeof fromItem>[0] | undefined;
      do {
        const page = await stored(
          client.send(
            new QueryCommand({
              TableName,
              KeyConditionExpression: 'series = :series AND #at BETWEEN :from AND :to',
              ExpressionAttributeNames: { '#at': 'at' },
              ExpressionAttributeValues: toItem({ ':series': countersOf(tenant), ':from': from.slice(0, 13) || '0', ':to': to.slice(0, 13) }),
              ...(next && { ExclusiveStartKey: next }),
            }),
          ),
        );
        for (const item of page.Items ?? []) addHour(sums, fromItem(item));
        next = page.LastEvaluatedKey;
      } while (next);
      const total = Object.values(usage.decisions).reduce((sum, count) => sum + count, 0);
      return { ...usage, total };
    },

    async violations(tenant, { limit, cursor }) {
      const start = fromCursor(cursor, ['series', 'at']);
      const page = await stored(
        client.send(
          new QueryCommand({
            TableName,
            KeyConditionExpression: 'series = :series',
            ExpressionAttributeValues: toItem({ ':series': violationsOf(tenant) }),
            ScanIndexForward: false,
            Limit: limit,
            ...(start && { ExclusiveStartKey: start }),
          }),
        ),
      );
      const next = toCursor(page.LastEvaluatedKey);
      return { items: (page.Items ?? []).map((item) => toViolation(fromItem(item))), ...(next && { cursor: next }) };
    },
  };
}

function addHour(sums: Record<string, Record<string, number>>, hour: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(hour)) {
    const [group = '', ...rest] = name.split('#');
    const sum = sums[group];
    if (!sum || typeof value !== 'number') continue;
    const key = rest.join('#');
    sum[key] = (sum[key] ?? 0) + value;
  }
}

function toViolation({ series: _series, ttl: _ttl, at, ...rest }: Record<string, unknown>): Violation {
  return { at: String(at).split('#')[0], ...rest } as unknown as Violation;
}
