/**
 * Sessions that the projector set aside, in the table of observations [audit.set-aside].
 *
 * Access patterns: put if absent, the rows of a tenant (Query one series), remove. They do not expire: a repair removes
 * them.
 */
import { BatchWriteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import type { SetAside, SetAsideStore } from '#core/observatory/set-aside.ts';
import { fromItem, type Item, stored, toItem } from './items.ts';
import { queried } from './query-pages.ts';
import type { StoreOptions } from './store-options.ts';

const seriesOf = (tenant: string): string => `${tenant}#set-aside`;
const keyOf = ({ tenant, step, session_id }: SetAside): Item =>
  toItem({ series: seriesOf(tenant), at: `${step}#${session_id}` });

interface Options {
  readonly client: StoreOptions['client'];
  readonly tables: Pick<StoreOptions['tables'], 'observations'>;
}

export function setAsideRows({ client, tables }: Options): SetAsideStore {
  const TableName = tables.observations;
  return {
    async put(row) {
      const put = new PutItemCommand({
        TableName,
        Item: { ...keyOf(row), ...toItem({ row: JSON.stringify(row) }) },
        ConditionExpression: 'attribute_not_exists(series)',
      });
      const known = (cause: Error) => {
        if (!isErrorNamed(cause, 'ConditionalCheckFailedException')) throw cause;
      };
      await stored(client.send(put).catch(known));
    },

    async list(tenant, limit) {
      const rows: SetAside[] = [];
      const query = {
        TableName,
        KeyConditionExpression: 'series = :series',
        ExpressionAttributeValues: toItem({ ':series': seriesOf(tenant) }),
        Limit: limit,
      };
      for await (const item of queried(client, query)) {
        rows.push(JSON.parse(String(fromItem(item).row)) as SetAside);
        if (rows.length === limit) break;
      }
      return rows;
    },

    async remove(row) {
      const remove = { RequestItems: { [TableName]: [{ DeleteRequest: { Key: keyOf(row) } }] } };
      await stored(client.send(new BatchWriteItemCommand(remove)));
    },
  };
}
