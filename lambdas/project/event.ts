/** Projects the evidence stream into the archive and the observations, each entry once. */
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
  const inserts = records.filter((record) => isInsert(ports, record));
  const { read, unread } = entriesOf(inserts);
  const failed = await projectEntries(ports, [...read.keys()]);
  if (failed) return stoppedAt(ports, read.get(failed.from)!, failed.cause);
  return unread && stoppedAt(ports, unread, new Error('the record holds no entry'));
}

/** The entries with their records, up to the first record that holds none. */
function entriesOf(records: readonly DynamoDBRecord[]) {
  const read = new Map<EvidenceEntry, DynamoDBRecord>();
  for (const record of records) {
    const entry = entryOfImage(record.dynamodb?.NewImage);
    if (!entry) return { read, unread: record };
    read.set(entry, record);
  }
  return { read, unread: undefined };
}

function isInsert({ telemetry }: ProjectPorts, { eventName, dynamodb }: DynamoDBRecord): boolean {
  // The gateway never updates or deletes evidence; a change made by others leaves a trace here.
  if (eventName !== 'INSERT')
    telemetry.log('error', 'evidence was changed after it was written', { keys: dynamodb?.Keys });
  return eventName === 'INSERT';
}

/** The stream is read again from this record on; later records that are already done are still counted once. */
function stoppedAt({ telemetry }: ProjectPorts, record: DynamoDBRecord, cause: unknown): DynamoDBBatchResponse {
  const error = cause instanceof Error ? cause.message : String(cause);
  telemetry.log('error', 'projection stopped', { sequence: record.dynamodb?.SequenceNumber, error });
  const itemIdentifier = record.dynamodb?.SequenceNumber;
  if (itemIdentifier === undefined) throw cause;
  return { batchItemFailures: [{ itemIdentifier }] };
}
