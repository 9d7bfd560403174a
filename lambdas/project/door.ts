/** Projects the evidence stream into the archive and the observations (architecture: idea 5), each entry once. */
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { Telemetry } from '#core/kernel/ports.ts';
import type { Archive, Observations } from '#core/observatory/ports.ts';
import { projectEntry } from '#core/observatory/project.ts';

export interface ProjectPorts {
  readonly observations: Pick<Observations, 'apply'>;
  readonly archive: Archive;
  /** Puts entries that are archived under a checkpoint. */
  readonly cover?: (entries: readonly EvidenceEntry[]) => Promise<void>;
  readonly telemetry: Telemetry;
}

/** How many entries share a transaction; order does not matter to sums and copies. */
const atOnce = 45;

export const door =
  (ports: ProjectPorts) =>
  async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
    for (let i = 0; i < Records.length; i += atOnce) {
      const stopped = await project(ports, Records.slice(i, i + atOnce));
      if (stopped) return stopped;
    }
    return { batchItemFailures: [] };
  };

/** The copies first: an entry that is marked as counted is then known to be archived. What precedes a failure is done. */
async function project(
  ports: ProjectPorts,
  records: readonly DynamoDBRecord[],
): Promise<DynamoDBBatchResponse | undefined> {
  const inserts = records.filter((record) => isInsert(ports, record));
  const kept = await Promise.allSettled(inserts.map((record) => keep(ports.archive, record)));
  const failedAt = kept.findIndex(({ status }) => status === 'rejected');
  const done = failedAt < 0 ? kept : kept.slice(0, failedAt);
  const entries = done.map((outcome) => (outcome as PromiseFulfilledResult<EvidenceEntry>).value);
  // Side by side: what fails is done again, and neither holds the other up.
  const made = await Promise.allSettled([
    entries.length > 0 && ports.cover?.(entries),
    ports.observations.apply(entries.map(projectEntry)),
  ]);
  for (const outcome of made) if (outcome.status === 'rejected') return stoppedAt(ports, inserts[0]!, outcome.reason);
  if (failedAt < 0) return undefined;
  return stoppedAt(ports, inserts[failedAt]!, (kept[failedAt] as PromiseRejectedResult).reason);
}

function isInsert({ telemetry }: ProjectPorts, { eventName, dynamodb }: DynamoDBRecord): boolean {
  // Nothing of ours updates or deletes evidence; whoever did has left a trace here.
  if (eventName !== 'INSERT')
    telemetry.log('error', 'evidence was changed after it was written', { keys: dynamodb?.Keys });
  return eventName === 'INSERT';
}

async function keep(archive: Archive, record: DynamoDBRecord): Promise<EvidenceEntry> {
  const entry = entryOf(record);
  await archive.keep(entry);
  return entry;
}

function entryOf(record: DynamoDBRecord): EvidenceEntry {
  const text = record.dynamodb?.NewImage?.entry?.S;
  if (text === undefined) throw new Error('the record holds no entry');
  return JSON.parse(text) as EvidenceEntry;
}

/** The stream is read again from this record on; what came after it and is done already counts once all the same. */
function stoppedAt({ telemetry }: ProjectPorts, record: DynamoDBRecord, cause: unknown): DynamoDBBatchResponse {
  const error = cause instanceof Error ? cause.message : String(cause);
  telemetry.log('error', 'projection stopped', { sequence: record.dynamodb?.SequenceNumber, error });
  const itemIdentifier = record.dynamodb?.SequenceNumber;
  if (itemIdentifier === undefined) throw cause;
  return { batchItemFailures: [{ itemIdentifier }] };
}
