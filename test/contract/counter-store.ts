/** Counters over a store that can fail. */
import type { ChildProcess } from 'node:child_process';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { countersTable } from '#adapters/tables/counters-table.ts';
import type { TableName } from '#core/contracts/tables.ts';
import type { Counters } from '#core/limits/ports.ts';
import { over, startDynamo } from '../support/dynamo.ts';
import { now } from '../unit/limits/sample.ts';

export let server: Awaited<ReturnType<typeof startDynamo>>;
export let client: DynamoDBClient;
export let tables: Record<TableName, string>;
export const workers: ChildProcess[] = [];

beforeAll(async () => {
  server = await startDynamo();
  client = server.client();
  tables = await server.createTables();
});
afterAll(async () => {
  for (const worker of workers) if (worker.exitCode === null && worker.signalCode === null) worker.kill('SIGKILL');
  await server.stop();
});

export type Command = { readonly constructor: { readonly name: string } };
export type Send = (command: Command) => Promise<unknown>;

export const time = { ms: now };
export const clock = { now: () => time.ms };
export const stores = (instead?: (send: Send) => Send): Counters => {
  const send: Send = (command) => client.send(command as never);
  const used = instead ? ({ send: instead(send) } as unknown as DynamoDBClient) : client;
  return countersTable({ ...over(used, tables), clock });
};
