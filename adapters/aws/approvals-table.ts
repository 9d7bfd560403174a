/**
 * Approvals in DynamoDB: one row per request, and one pointer per call digest to its newest request (contract §3).
 *
 * Parameters and results are kept as canonical JSON text: a map of the store takes no number beyond 2^53, no double below 1e-130
 * and 32 levels at most.
 *
 * Access patterns: row by id (consistent Get); newest request of a call (consistent Get of the pointer); rows of a
 * tenant in a state (Query by_status). Rows change only inside `Ledger.commit`, but for the clock's plumbing.
 */
import {
  type AttributeValue,
  GetItemCommand,
  QueryCommand,
  type TransactWriteItem,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { ApprovalStore } from '#core/approvals/ports.ts';
import type { ApprovalRow, ApprovalStatus } from '#core/contracts/approval.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { Change } from '#core/evidence/ports.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { GatewayError, notFound } from '#core/kernel/errors.ts';
import type { StoreOptions } from './evidence-table.ts';
import { fromCursor, fromItem, type Item, stored, toCursor, toItem } from './items.ts';

const pointerId = (tenant: string, digest: string) => `call#${tenant}#${digest}`;
const statusKey = (tenant: string, status: ApprovalStatus) => `${tenant}#${status}`;
/** Rows outlive their expiry by this long; the evidence keeps everything. */
const keptSeconds = 30 * 24 * 3600;
const ttlOf = (iso: string) => Math.floor(Date.parse(iso) / 1000) + keptSeconds;

const toRowItem = ({ parameters, sent_with, ...row }: ApprovalRow): Item =>
  toItem({
    id: row.envelope_id,
    tenant_status: statusKey(row.tenant, row.status),
    queued: `${row.queued_at}#${row.envelope_id}`,
    ttl: ttlOf(row.expires_at),
    ...row,
    parameters_json: canonicalize(parameters),
    ...(sent_with && { sent_with_json: canonicalize(sent_with) }),
  });

export function toRow(item: Item): ApprovalRow {
  const { id: _id, tenant_status: _status, queued: _queued, ttl: _ttl, ...kept } = fromItem(item);
  const { result_json, parameters_json, sent_with_json, ...row } = kept;
  return {
    ...row,
    // Rows of an earlier release hold them as a map.
    ...(typeof parameters_json === 'string' && { parameters: JSON.parse(parameters_json) }),
    ...(typeof sent_with_json === 'string' && { sent_with: JSON.parse(sent_with_json) }),
    ...(typeof result_json === 'string' && { result: JSON.parse(result_json) }),
  } as unknown as ApprovalRow;
}

export function openItems(table: string, change: Extract<Change, { type: 'approval.open' }>): TransactWriteItem[] {
  const { row, replaces } = change;
  return [
    {
      Put: {
        TableName: table,
        Item: toItem({
          id: pointerId(row.tenant, row.call_digest),
          envelope_id: row.envelope_id,
          ttl: ttlOf(row.expires_at),
        }),
        ConditionExpression: replaces === undefined ? 'attribute_not_exists(id)' : 'envelope_id = :replaces',
        ...(replaces !== undefined && { ExpressionAttributeValues: { ':replaces': { S: replaces } } }),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    },
    { Put: { TableName: table, Item: toRowItem(row), ConditionExpression: 'attribute_not_exists(id)' } },
  ];
}

export function moveItem(
  table: string,
  change: Extract<Change, { type: 'approval.move' }>,
  entry: Pick<EvidenceEntry, 'hash' | 'index'>,
): TransactWriteItem {
  const { result, ...rest } = change.set;
  const set: Record<string, unknown> = {
    ...rest,
    ...(result !== undefined && { result_json: canonicalize(result) }),
    status: change.to,
    tenant_status: statusKey(change.tenant, change.to),
    ...(change.stampEntry && { evidence_hash: entry.hash, evidence_index: entry.index }),
  };
  const where: Record<string, unknown> = { status: change.from, tenant: change.tenant, ...change.where };
  const names: Record<string, string> = {};
  const values: Record<string, unknown> = {};
  const assignments = Object.entries(set)
    .filter(([, value]) => value !== undefined)
    .map(([name, value], i) => {
      names[`#s${i}`] = name;
      values[`:s${i}`] = value;
      return `#s${i} = :s${i}`;
    });
  const conditions = Object.entries(where).map(([name, value], i) => {
    names[`#w${i}`] = name;
    values[`:w${i}`] = value;
    return `#w${i} = :w${i}`;
  });
  const removals = (change.clear ?? []).map((name, i) => {
    names[`#c${i}`] = name;
    return `#c${i}`;
  });
  if (change.after) {
    names['#after'] = change.after.attribute;
    values[':after'] = change.after.time;
    conditions.push('#after > :after');
  }
  return {
    Update: {
      TableName: table,
      Key: { id: { S: change.id } },
      UpdateExpression: `SET ${assignments.join(', ')}${removals.length > 0 ? ` REMOVE ${removals.join(', ')}` : ''}`,
      ConditionExpression: conditions.join(' AND '),
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: toItem(values),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
}

export function approvalsTable({ client, tables }: StoreOptions): ApprovalStore {
  const read = async (id: string): Promise<Item | undefined> => {
    const { Item } = await stored(
      client.send(new GetItemCommand({ TableName: tables.approvals, Key: { id: { S: id } }, ConsistentRead: true })),
    );
    return Item;
  };

  const store: ApprovalStore = {
    async find(envelopeId) {
      const item = await read(envelopeId);
      return item && toRow(item);
    },

    async get(tenant, envelopeId) {
      const row = await store.find(envelopeId);
      return row?.tenant === tenant ? row : undefined;
    },

    async byCall(tenant, callDigest) {
      const item = await read(pointerId(tenant, callDigest));
      return item && (fromItem(item) as { envelope_id: string }).envelope_id;
    },

    async list(tenant, status, { limit, cursor, keyId }) {
      const start = fromCursor(cursor, ['id', 'tenant_status', 'queued']);
      const page = await stored(
        client.send(
          new QueryCommand({
            TableName: tables.approvals,
            IndexName: 'by_status',
            KeyConditionExpression: 'tenant_status = :status',
            ...(keyId !== undefined && { FilterExpression: 'key_id = :key' }),
            ExpressionAttributeValues: toItem({
              ':status': statusKey(tenant, status),
              ...(keyId !== undefined && { ':key': keyId }),
            }),
            ScanIndexForward: status === 'pending',
            Limit: limit,
            ...(start && { ExclusiveStartKey: start }),
          }),
        ),
      );
      const next = toCursor(page.LastEvaluatedKey);
      return { items: (page.Items ?? []).map((item) => toRow(item)), ...(next && { cursor: next }) };
    },

    async pendingKeys(tenant, most) {
      const found: string[] = [];
      let start: Record<string, AttributeValue> | undefined;
      do {
        const page = await stored(
          client.send(
            new QueryCommand({
              TableName: tables.approvals,
              IndexName: 'by_status',
              KeyConditionExpression: 'tenant_status = :status',
              ProjectionExpression: 'key_id',
              ExpressionAttributeValues: toItem({ ':status': statusKey(tenant, 'pending') }),
              Limit: most - found.length,
              ...(start && { ExclusiveStartKey: start }),
            }),
          ),
        );
        for (const { key_id } of page.Items ?? []) found.push(key_id?.S ?? '');
        start = page.LastEvaluatedKey;
      } while (start && found.length < most);
      return found;
    },

    async holdToken(envelopeId, taskToken) {
      try {
        const { Attributes } = await client.send(
          new UpdateItemCommand({
            TableName: tables.approvals,
            Key: { id: { S: envelopeId } },
            UpdateExpression: 'SET task_token = :token, clock_started = :yes',
            ConditionExpression: '#status = :pending',
            ExpressionAttributeNames: { '#status': 'status' },
            ExpressionAttributeValues: {
              ':token': { S: taskToken },
              ':yes': { BOOL: true },
              ':pending': { S: 'pending' },
            },
            ReturnValues: 'ALL_NEW',
          }),
        );
        return toRow(Attributes ?? {});
      } catch (cause) {
        if ((cause as Error).name !== 'ConditionalCheckFailedException') return await stored(Promise.reject(cause));
        const row = await store.find(envelopeId);
        if (!row) throw notFound(`Approval ${envelopeId}`);
        return row;
      }
    },

    async clockStarted(envelopeId) {
      await stored(
        client
          .send(
            new UpdateItemCommand({
              TableName: tables.approvals,
              Key: { id: { S: envelopeId } },
              UpdateExpression: 'SET clock_started = :yes',
              ConditionExpression: 'attribute_exists(id)',
              ExpressionAttributeValues: { ':yes': { BOOL: true } },
            }),
          )
          .catch((cause: Error) => {
            if (cause.name === 'ConditionalCheckFailedException')
              throw new GatewayError('not_found', `Approval ${envelopeId} was not found.`, { cause });
            throw cause;
          }),
      );
    },

    async renewLease({ approval, owner }, until) {
      await stored(
        client
          .send(
            new UpdateItemCommand({
              TableName: tables.approvals,
              Key: { id: { S: approval } },
              UpdateExpression: 'SET lease_expires_at = :until',
              ConditionExpression: '#status = :executing AND lease_owner = :owner',
              ExpressionAttributeNames: { '#status': 'status' },
              ExpressionAttributeValues: toItem({ ':until': until, ':executing': 'executing', ':owner': owner }),
            }),
          )
          .catch((cause: Error) => {
            if (cause.name !== 'ConditionalCheckFailedException') throw cause;
          }),
      );
    },

    async releaseToken(envelopeId) {
      await stored(
        client.send(
          new UpdateItemCommand({
            TableName: tables.approvals,
            Key: { id: { S: envelopeId } },
            UpdateExpression: 'REMOVE task_token',
            ConditionExpression: 'attribute_exists(id)',
          }),
        ),
      );
    },
  };
  return store;
}
