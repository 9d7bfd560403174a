/** Capacity units that requests consume, as the store reports them. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Units } from '../../bench/cost/measured.ts';
import type { Loose } from '../support/loose.ts';

/** @returns read and write units of all requests that `work` made through this client */
export async function unitsDuring(client: DynamoDBClient, work: () => Promise<unknown>): Promise<Units> {
  const used = { read: 0, write: 0 };
  const watched = client as Loose;
  // The client's own method, even behind a proxy that counts its calls.
  const send = Object.getOwnPropertyDescriptor(client, 'send')!.value;
  watched.send = async (command: Loose) => {
    command.input.ReturnConsumedCapacity = 'TOTAL';
    const output: Loose = await send(command);
    const writes = /Put|Update|Write|Delete/.test(command.constructor.name);
    for (const { CapacityUnits } of [output.ConsumedCapacity ?? []].flat())
      used[writes ? 'write' : 'read'] += CapacityUnits;
    return output;
  };
  try {
    await work();
  } finally {
    watched.send = send;
  }
  return used;
}
