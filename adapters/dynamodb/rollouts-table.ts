/**
 * Rollouts in DynamoDB. Few and rarely written, so they share one partition. In addition, one item per model names its
 * current rollout; while that one is open, no other can replace it.
 *
 * Access patterns: one rollout (consistent Get); the newest (Query); the current ones (Query of the models, then
 * BatchGet); put with a condition on the revision, together with the evidence entry.
 */
import { BatchGetItemCommand, GetItemCommand, QueryCommand, type TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { isOpen, type Rollout } from '#core/contracts/rollout.ts';
import type { Rollouts } from '#core/models/rollouts/ports.ts';
import { fromItem, type Item, stored, toItem } from './items.ts';
import type { StoreOptions } from './store-options.ts';

const rowKey = (id: string): Item => toItem({ kind: 'rollout', id });
const modelKey = ({ tenant, route_model }: Rollout): Item =>
  toItem({ kind: 'model', id: JSON.stringify([tenant, route_model]) });

const toRollout = (item: Item): Rollout => JSON.parse((fromItem(item) as { rollout: string }).rollout);

/** Maximum number of models with a current rollout; a page of DynamoDB holds more. */
const maxInForce = 100;
const maxListed = 200;

/** Puts the row and its claim on the model: a new rollout takes it, a rolled back one releases it. */
export function rolloutPutItems(
  TableName: string,
  { rollout, revision }: { readonly rollout: Rollout; readonly revision?: number },
): TransactWriteItem[] {
  const row = { ...rowKey(rollout.id), ...toItem({ rollout: JSON.stringify(rollout), revision: rollout.revision }) };
  const put: TransactWriteItem = {
    Put: {
      TableName,
      Item: row,
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      ...(revision === undefined
        ? { ConditionExpression: 'attribute_not_exists(id)' }
        : { ConditionExpression: 'revision = :before', ExpressionAttributeValues: toItem({ ':before': revision }) }),
    },
  };
  return [
    put,
    {
      Put: {
        TableName,
        Item: {
          ...modelKey(rollout),
          ...toItem({ rollout_id: rollout.id, open: isOpen(rollout), out: rollout.state === 'rolled_back' }),
        },
        ConditionExpression: 'attribute_not_exists(id) OR rollout_id = :id OR #open = :no',
        ExpressionAttributeNames: { '#open': 'open' },
        ExpressionAttributeValues: toItem({ ':id': rollout.id, ':no': false }),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    },
  ];
}

export function rolloutsTable({ client, tables }: StoreOptions): Rollouts {
  const TableName = tables.rollouts;

  const query = (kind: 'rollout' | 'model', limit: number) =>
    stored(
      client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: 'kind = :kind',
          ExpressionAttributeValues: toItem({ ':kind': kind }),
          ConsistentRead: true,
          ScanIndexForward: false,
          Limit: limit,
        }),
      ),
    ).then(({ Items = [] }) => Items);

  return {
    async get(id) {
      const { Item: item } = await stored(
        client.send(new GetItemCommand({ TableName, Key: rowKey(id), ConsistentRead: true })),
      );
      return item && toRollout(item);
    },

    // Ids begin with their time, so they sort by it.
    list: async () => (await query('rollout', maxListed)).map(toRollout),

    async inForce() {
      const models = (await query('model', maxInForce)).map(fromItem);
      const ids = models.flatMap(({ rollout_id, out }) => (out === true ? [] : [String(rollout_id)]));
      if (ids.length === 0) return [];
      const { Responses } = await stored(
        client.send(
          new BatchGetItemCommand({
            RequestItems: { [TableName]: { Keys: ids.map(rowKey), ConsistentRead: true } },
          }),
        ),
      );
      const rollouts = (Responses?.[TableName] ?? []).map(toRollout);
      return rollouts.sort((a, b) => (a.id < b.id ? -1 : 1));
    },
  };
}
