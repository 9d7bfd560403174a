/** Projects the evidence stream into the archive and the observations, each entry once. */
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { entryOfImage } from '#core/evidence/entry-text.ts';
import type { Telemetry } from '#core/kernel/ports.ts';
import { type AnnouncePorts, announceViolations } from '#core/observatory/policy-events.ts';
import type { Archive, Observations } from '#core/observatory/ports.ts';
import { projectEntry } from '#core/observatory/project.ts';

export interface ProjectPorts {
  readonly observations: Pick<Observations, 'apply'>;
  readonly archive: Archive;
  /** Puts entries that are archived under a checkpoint. */
  readonly cover: ((entries: readonly EvidenceEntry[]) => Promise<void>) | undefined;
  /** Queues blocks and warnings for the policy webhook. */
  readonly announce: AnnouncePorts;
  readonly telemetry: Telemetry;
}

export const createHandler =
  (ports: ProjectPorts) =>
  async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> =>
    (await project(ports, Records)) ?? { batchItemFailures: [] };

interface Read {
  readonly record: DynamoDBRecord;
  readonly entry: EvidenceEntry;
}

/** The copies first: an entry that is marked as counted is then known to be archived. What precedes a failure is done. */
async function project(
  ports: ProjectPorts,
  records: readonly DynamoDBRecord[],
): Promise<DynamoDBBatchResponse | undefined> {
  const inserts = records.filter((record) => isInsert(ports, record));
  const { read, unread } = entriesOf(inserts);
  const failed = await keep(ports.archive, read);
  const done = failed ? read.slice(0, read.indexOf(failed.first)) : read;
  const entries = done.map(({ entry }) => entry);
  const projections = entries.map(projectEntry);
  // Side by side: what fails is done again, and neither holds the other up.
  const made = await Promise.allSettled([
    entries.length > 0 && ports.cover?.(entries),
    ports.observations.apply(projections),
    announceViolations(ports.announce, projections),
  ]);
  for (const outcome of made) if (outcome.status === 'rejected') return stoppedAt(ports, inserts[0]!, outcome.reason);
  if (failed) return stoppedAt(ports, failed.first.record, failed.cause);
  return unread && stoppedAt(ports, unread, new Error('the record holds no entry'));
}

/** The entries up to the first record that holds none. */
function entriesOf(records: readonly DynamoDBRecord[]): { read: readonly Read[]; unread: DynamoDBRecord | undefined } {
  const read: Read[] = [];
  for (const record of records) {
    const entry = entryOfImage(record.dynamodb?.NewImage);
    if (!entry) return { read, unread: record };
    read.push({ record, entry });
  }
  return { read, unread: undefined };
}

/** Archives each session's entries together. @returns the first entry that is not kept, and why. */
async function keep(
  archive: Archive,
  read: readonly Read[],
): Promise<{ readonly first: Read; readonly cause: unknown } | undefined> {
  const sessions = [...Map.groupBy(read, ({ entry }) => `${entry.tenant}#${entry.session_id}`).values()];
  const kept = await Promise.allSettled(sessions.map((own) => archive.keep(own.map(({ entry }) => entry))));
  const failures = kept.flatMap((outcome, n) =>
    outcome.status === 'rejected' ? [{ first: sessions[n]![0]!, cause: outcome.reason }] : [],
  );
  return failures.sort((a, b) => read.indexOf(a.first) - read.indexOf(b.first))[0];
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
