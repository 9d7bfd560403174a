/** Executions in DynamoDB: a table of the local run only. On AWS, Step Functions stores them. */
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { TableSpec } from '#core/contracts/tables.ts';
import type { Execution, ExecutionStore } from './execution.ts';

export const executionsSpec: TableSpec = {
  holds: 'executions of state machines in the local run: place, input, variables, timers',
  partitionKey: 'id',
  ttl: 'ttl',
  indexes: [{ name: 'by_status', partitionKey: 'machine_status', sortKey: 'started', projection: 'KEYS_ONLY' }],
};

/** Step Functions reserves names for 90 days. */
const keptSeconds = 90 * 86_400;

export function executionsTable(client: DynamoDBClient, table: string): ExecutionStore {
  const put = async (execution: Execution, condition: object): Promise<boolean> => {
    try {
      await client.send(new PutItemCommand({ TableName: table, Item: toItem(execution), ...condition }));
      return true;
    } catch (fault) {
      if (fault instanceof ConditionalCheckFailedException) return false;
      throw fault;
    }
  };
  const read = async (id: string) => {
    const { Item } = await client.send(
      new GetItemCommand({ TableName: table, Key: { id: { S: id } }, ConsistentRead: true }),
    );
    return Item && fromItem(Item);
  };
  return {
    create: (execution) => put(execution, { ConditionExpression: 'attribute_not_exists(id)' }),
    save: (next) =>
      put(next, {
        ConditionExpression: 'revision = :before',
        ExpressionAttributeValues: marshall({ ':before': next.revision - 1 }),
      }),
    get: (machine, name) => read(idOf({ machine, name })),
    running: async (machine) => {
      const found: Execution[] = [];
      let start: Record<string, AttributeValue> | undefined;
      do {
        const page = await client.send(
          new QueryCommand({
            TableName: table,
            IndexName: 'by_status',
            KeyConditionExpression: 'machine_status = :running',
            ExpressionAttributeValues: marshall({ ':running': `${machine}#running` }),
            ...(start && { ExclusiveStartKey: start }),
          }),
        );
        const rows = await Promise.all((page.Items ?? []).map((item) => read(unmarshall(item).id)));
        found.push(...rows.filter((row) => row !== undefined).filter((row) => row.status === 'running'));
        start = page.LastEvaluatedKey;
      } while (start !== undefined);
      return found;
    },
  };
}

const idOf = ({ machine, name }: Pick<Execution, 'machine' | 'name'>) => `${machine}/${name}`;

/**
 * Converts an execution. Values of the state machine become JSON text, since DynamoDB cannot store all of JSON's
 * values.
 */
function toItem(execution: Execution): Record<string, AttributeValue> {
  const { input, variables, executionInput, output, ...plain } = execution;
  return marshall(
    {
      ...plain,
      id: idOf(execution),
      machine_status: `${execution.machine}#${execution.status}`,
      started: new Date(execution.startedAt).toISOString(),
      body: JSON.stringify({ input, variables, executionInput, output }),
      ...(execution.endedAt !== undefined && { ttl: Math.floor(execution.endedAt / 1000) + keptSeconds }),
    },
    { removeUndefinedValues: true },
  );
}

function fromItem(item: Record<string, AttributeValue>): Execution {
  const { id: _id, machine_status: _status, started: _started, ttl: _ttl, body, ...plain } = unmarshall(item);
  return { ...plain, ...JSON.parse(body) } as Execution;
}
