/**
 * Approvals in DynamoDB: one row per request, and one pointer per call digest to its newest request.
 *
 * Access patterns: row by id (consistent Get); newest request of a call (consistent Get of the pointer); rows of a
 * tenant in a state (Query by_status, then BatchGet); due rows (Query by_due per shard, then BatchGet). Rows change
 * only inside `Ledger.commit`, except for the clock's own attributes.
 */

import { GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { ApprovalStore } from '#core/approvals/ports.ts';
import type { ApprovalStatus } from '#core/contracts/approval.ts';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import { notFound } from '#core/kernel/not-found.ts';
import { dueKey, keyIdOf, pointerId, statusKey, toRow } from './approval-items.ts';
import { dueList } from './due-rows.ts';
import { cursorAt, inOrder, placeAt } from './in-order.ts';
import { fromItem, type Item, stored, toItem } from './items.ts';
import { rowsByKey } from './rows-by-key.ts';
import type { StoreOptions } from './store-options.ts';

/** Maximum number of keys that one page of a requester's rows scans before it returns a cursor. */
const maxScanned = 5_000;
/** Number of due rows per read. */
const groupSize = 100;

export function approvalsTable({ client, tables }: StoreOptions): ApprovalStore {
  const read = async (id: string): Promise<Item | undefined> => {
    const { Item } = await stored(
      client.send(new GetItemCommand({ TableName: tables.approvals, Key: { id: { S: id } }, ConsistentRead: true })),
    );
    return Item;
  };

  const dueApprovals = dueList({ client, table: tables.approvals, sortKey: 'due' });

  /** Queries one partition: the votes of a tenant's people are far below the capacity of one partition. */
  const ofStatus = (tenant: string, status: ApprovalStatus) => ({
    client,
    table: tables.approvals,
    index: 'by_status',
    partitionKey: 'tenant_status',
    sortKey: 'queued',
    partitions: [statusKey(tenant, status)],
    order: status === 'pending' ? ('ascending' as const) : ('descending' as const),
  });

  /** Updates the row unless its status has changed; `#status` is its status. */
  async function ifStill(
    id: string,
    update: { readonly UpdateExpression: string; readonly ConditionExpression: string },
    values: Readonly<Record<string, string>>,
  ): Promise<void> {
    const command = new UpdateItemCommand({
      TableName: tables.approvals,
      Key: { id: { S: id } },
      ...update,
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: toItem(values),
    });
    await stored(
      client.send(command).catch((cause: Error) => {
        if (!isErrorNamed(cause, 'ConditionalCheckFailedException')) throw cause;
      }),
    );
  }

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
      const keys: Item[] = [];
      let cursorAfter: string | undefined;
      let looked = 0;
      let place = '';
      for await (const { id, queued } of inOrder({
        ...ofStatus(tenant, status),
        after: placeAt(cursor),
        about: limit + 1,
      })) {
        if (keys.length === limit || looked === maxScanned) {
          cursorAfter = cursorAt(place);
          break;
        }
        looked++;
        place = queued?.S ?? '';
        if (keyId === undefined || keyIdOf(place) === keyId) keys.push({ id: id! });
      }
      const rows = (await rowsByKey({ client, table: tables.approvals, consistent: true }, keys)).map(toRow);
      // The index lags: a row that has changed state belongs to another list.
      const items = rows.filter((row) => row.status === status);
      return { items, ...(cursorAfter !== undefined && { cursor: cursorAfter }) };
    },

    async pendingKeys(tenant, most) {
      const found: string[] = [];
      for await (const { queued } of inOrder({ ...ofStatus(tenant, 'pending'), about: most })) {
        found.push(keyIdOf(queued?.S ?? ''));
        if (found.length === most) break;
      }
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
        if (!isErrorNamed(cause, 'ConditionalCheckFailedException')) return await stored(Promise.reject(cause));
        const row = await store.find(envelopeId);
        if (!row) throw notFound('approval', envelopeId);
        return row;
      }
    },

    /** Records that the clock runs. A request decided in the meantime needs none. */
    async clockStarted({ envelope_id, queued_at, expires_at }) {
      await stored(
        client
          .send(
            new UpdateItemCommand({
              TableName: tables.approvals,
              Key: { id: { S: envelope_id } },
              UpdateExpression: 'SET clock_started = :yes, due = :due',
              ConditionExpression: '#status = :pending',
              ExpressionAttributeNames: { '#status': 'status' },
              ExpressionAttributeValues: toItem({
                ':yes': true,
                ':due': dueKey(expires_at, 'pending', queued_at),
                ':pending': 'pending',
              }),
              ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
            }),
          )
          .catch((cause: Error & { Item?: Item }) => {
            if (!isErrorNamed(cause, 'ConditionalCheckFailedException')) throw cause;
            if (!cause.Item) throw notFound('approval', envelope_id);
          }),
      );
    },

    async *due(now) {
      let group: Item[] = [];
      const rows = () => rowsByKey({ client, table: tables.approvals, consistent: true }, group);
      const keys = inOrder({ ...dueApprovals, to: `${now}#~`, about: groupSize });
      for await (const { id } of keys) {
        group.push({ id: id! });
        if (group.length < groupSize) continue;
        for (const row of await rows()) yield toRow(row);
        group = [];
      }
      for (const row of await rows()) yield toRow(row);
    },

    async waiting() {
      const since: string[] = [];
      for await (const { due } of inOrder({ ...dueApprovals, about: 1_000 })) {
        const [, status, queued] = due?.S?.split('#') ?? [];
        if (status === 'pending' && queued !== undefined) since.push(queued);
      }
      const oldest = since.reduce<string | undefined>((a, b) => (a !== undefined && a < b ? a : b), undefined);
      return { pending: since.length, ...(oldest !== undefined && { oldest }) };
    },

    postpone: ({ envelope_id, status, queued_at }, until) =>
      ifStill(
        envelope_id,
        { UpdateExpression: 'SET due = :due', ConditionExpression: '#status = :status AND attribute_exists(due)' },
        { ':due': dueKey(until, status, queued_at), ':status': status },
      ),

    noteCaller: (envelopeId, goneAt) =>
      ifStill(
        envelopeId,
        {
          UpdateExpression: goneAt === undefined ? 'REMOVE caller_gone_at' : 'SET caller_gone_at = :gone',
          ConditionExpression: '#status = :status',
        },
        { ...(goneAt !== undefined && { ':gone': goneAt }), ':status': 'pending' },
      ),

    renewLease: ({ approval, owner }, until) =>
      ifStill(
        approval,
        {
          UpdateExpression: 'SET lease_expires_at = :until, due = :due',
          ConditionExpression: '#status = :status AND lease_owner = :owner',
        },
        { ':until': until, ':due': dueKey(until, 'executing'), ':status': 'executing', ':owner': owner },
      ),

    async releaseToken(envelopeId) {
      await stored(
        client.send(
          new UpdateItemCommand({
            TableName: tables.approvals,
            Key: { id: { S: envelopeId } },
            UpdateExpression: 'REMOVE task_token, due',
            ConditionExpression: 'attribute_exists(id)',
          }),
        ),
      );
    },
  };
  return store;
}
