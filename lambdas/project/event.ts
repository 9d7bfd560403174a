/** Projects the evidence stream to the archive and the observations, each entry exactly once. */
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { type ContradictionPorts, raiseContradiction } from '#core/evidence/contradiction.ts';
import { entryOfImage, placeOfKeys } from '#core/evidence/entry-text.ts';
import { type ProjectionPorts, projectEntries } from '#core/observatory/project-entries.ts';

export type ProjectPorts = ProjectionPorts & ContradictionPorts;

export const createHandler =
  (ports: ProjectPorts) =>
  async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> =>
    (await project(ports, Records)) ?? { batchItemFailures: [] };

async function project(
  ports: ProjectPorts,
  records: readonly DynamoDBRecord[],
): Promise<DynamoDBBatchResponse | undefined> {
  const { true: added = [], false: changed = [] } = Object.groupBy(records, isInsert);
  const unreported = await reportChanges(ports, changed);
  const read = entriesOf(ports, added);
  const failed = await projectEntries(ports, [...read.keys()]);
  const unprojected = failed && { record: read.get(failed.from)!, cause: failed.cause };
  // The stream treats every record before the returned one as processed.
  const stops = [unreported, unprojected].filter((stop) => stop !== undefined);
  const [first] = stops.sort((a, b) => records.indexOf(a.record) - records.indexOf(b.record));
  return first && stoppedAt(ports, first);
}

interface Stop {
  readonly record: DynamoDBRecord;
  readonly cause: unknown;
}

/** Reports changed entries until one cannot be reported, which is returned. */
async function reportChanges(ports: ProjectPorts, changed: readonly DynamoDBRecord[]): Promise<Stop | undefined> {
  for (const record of changed)
    try {
      await reportChange(ports, record);
    } catch (cause) {
      return { record, cause };
    }
  return undefined;
}

/**
 * Returns the entries with their records. An unreadable record is counted and skipped, since reporting it as failed
 * would block its shard.
 */
function entriesOf(ports: ProjectPorts, records: readonly DynamoDBRecord[]): Map<EvidenceEntry, DynamoDBRecord> {
  const read = new Map<EvidenceEntry, DynamoDBRecord>();
  for (const record of records) {
    const entry = entryOfImage(record.dynamodb?.NewImage);
    if (entry) read.set(entry, record);
    else reportUnreadable(ports, record);
  }
  return read;
}

function reportUnreadable({ telemetry }: ProjectPorts, { dynamodb }: DynamoDBRecord): void {
  const { Keys: keys, SequenceNumber: sequence } = dynamodb ?? {};
  telemetry.count('svc_projection_unreadable_total', {});
  telemetry.log('error', 'a record of the evidence stream cannot be read', { keys, sequence });
}

const isInsert = ({ eventName }: DynamoDBRecord) => (eventName === 'INSERT' ? 'true' : 'false');

/**
 * Reports a change to evidence as a contradiction. The gateway never updates evidence, and its own removals are not
 * delivered.
 */
async function reportChange(ports: ProjectPorts, record: DynamoDBRecord): Promise<void> {
  const place = placeOfKeys(record.dynamodb?.Keys);
  if (place) await raiseContradiction(ports, place, 'the entry was changed after it was written');
  else reportUnreadable(ports, record);
}

/**
 * Returns a failure that makes the stream repeat from this record. Later records that were already processed are
 * counted only once.
 */
function stoppedAt({ telemetry }: ProjectPorts, { record, cause }: Stop): DynamoDBBatchResponse {
  const error = cause instanceof Error ? cause.message : String(cause);
  telemetry.log('error', 'projection stopped', { sequence: record.dynamodb?.SequenceNumber, error });
  const itemIdentifier = record.dynamodb?.SequenceNumber;
  if (itemIdentifier === undefined) throw cause;
  return { batchItemFailures: [{ itemIdentifier }] };
}
