/** Counters backed by a store that can fail. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { countersTable } from '#adapters/tables/counters-table.ts';
import type { TableName } from '#core/contracts/tables.ts';
import type { Counters } from '#core/limits/ports.ts';
import { over, startDynamo } from '../support/dynamo.ts';
import { now } from '../unit/limits/sample.ts';

let server: Awaited<ReturnType<typeof startDynamo>>;
export let client: DynamoDBClient;
export let tables: Record<TableName, string>;

beforeAll(async () => {
  server = await startDynamo();
  client = server.client();
  tables = await server.createTables();
});
afterAll(() => server.stop());

type Command = { readonly constructor: { readonly name: string } };
export type Send = (command: Command) => Promise<unknown>;

export const time = { ms: now };
export const clock = { now: () => time.ms };
export const stores = (instead?: (send: Send) => Send): Counters => {
  const send: Send = (command) => client.send(command as never);
  const used = instead ? ({ send: instead(send) } as unknown as DynamoDBClient) : client;
  return countersTable({ ...over(used, tables), clock });
};
