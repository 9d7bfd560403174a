/** Options of every store over DynamoDB. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { TableName } from '#core/contracts/tables.ts';

export interface StoreOptions {
  readonly client: DynamoDBClient;
  /** The name of each table in this deployment. */
  readonly tables: Record<TableName, string>;
}
