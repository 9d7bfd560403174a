/** Consumes two streams: new evidence, and the chains that were queued together with its copies. */
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { isQueuedChain } from '#adapters/tables/chain-queue.ts';
import { projectPorts } from '../aws-project.ts';
import { coverQueued } from './chains.ts';
import { createHandler } from './event.ts';

let made: { ports: ReturnType<typeof projectPorts>; project: ReturnType<typeof createHandler> } | undefined;

export const handler = async (event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
  if (!made) {
    const ports = projectPorts();
    made = { ports, project: createHandler(ports) };
  }
  const { ports, project } = made;
  const { Records } = event;
  try {
    return await (isQueuedChain(Records[0]?.dynamodb?.NewImage) ? coverQueued(ports, Records) : project(event));
  } finally {
    await ports.telemetry.flush();
  }
};
