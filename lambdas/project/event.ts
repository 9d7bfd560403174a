/** Projects the evidence stream to the archive and the observations, each entry once. */
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { entryOfImage } from '#core/evidence/entry-text.ts';
import { type ProjectionPorts, projectEntries } from '#core/observatory/project-entries.ts';

export type ProjectPorts = ProjectionPorts;

export const createHandler =
  (ports: ProjectPorts) =>
  async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> =>
    (await project(ports, Records)) ?? { batchItemFailures: [] };

async function project(
  ports: ProjectPorts,
  records: readonly DynamoDBRecord[],
): Promise<DynamoDBBatchResponse | undefined> {
  const read = entriesOf(
    ports,
    records.filter((record) => isInsert(ports, record)),
  );
  const failed = await projectEntries(ports, [...read.keys()]);
  return failed && stoppedAt(ports, read.get(failed.from)!, failed.cause);
}

/**
 * Returns the entries with their records. An unreadable record is counted and skipped: returned as failed, it would
 * block its shard.
 */
function entriesOf(
  { telemetry }: ProjectPorts,
  records: readonly DynamoDBRecord[],
): Map<EvidenceEntry, DynamoDBRecord> {
  const read = new Map<EvidenceEntry, DynamoDBRecord>();
  for (const record of records) {
    const entry = entryOfImage(record.dynamodb?.NewImage);
    if (entry) read.set(entry, record);
    else {
      const { Keys: keys, SequenceNumber: sequence } = record.dynamodb ?? {};
      telemetry.count('svc_projection_unreadable_total', {});
      telemetry.log('error', 'a record of the evidence stream cannot be read', { keys, sequence });
    }
  }
  return read;
}

function isInsert({ telemetry }: ProjectPorts, { eventName, dynamodb }: DynamoDBRecord): boolean {
  // The gateway never updates or deletes evidence. A change by others is logged here.
  if (eventName !== 'INSERT')
    telemetry.log('error', 'evidence was changed after it was written', { keys: dynamodb?.Keys });
  return eventName === 'INSERT';
}

/**
 * Returns a failure, after which the stream repeats from this record. Later records that were already processed are
 * still counted once.
 */
function stoppedAt({ telemetry }: ProjectPorts, record: DynamoDBRecord, cause: unknown): DynamoDBBatchResponse {
  const error = cause instanceof Error ? cause.message : String(cause);
  telemetry.log('error', 'projection stopped', { sequence: record.dynamodb?.SequenceNumber, error });
  const itemIdentifier = record.dynamodb?.SequenceNumber;
  if (itemIdentifier === undefined) throw cause;
  return { batchItemFailures: [{ itemIdentifier }] };
}
