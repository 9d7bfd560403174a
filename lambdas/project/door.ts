/** Projects the evidence stream into the archive and the observations (architecture: idea 5), each entry once. */
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { Telemetry } from '#core/kernel/ports.ts';
import type { Archive, Observations } from '#core/observatory/ports.ts';
import { projectEntry } from '#core/observatory/project.ts';

export interface ProjectPorts {
  readonly observations: Pick<Observations, 'apply'>;
  readonly archive: Archive;
  readonly telemetry: Telemetry;
}

/** How many entries share a transaction; order does not matter to sums and copies. */
const atOnce = 30;

export const door =
  (ports: ProjectPorts) =>
  async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
    for (let i = 0; i < Records.length; i += atOnce) {
      const chunk = Records.slice(i, i + atOnce);
      try {
        await project(ports, chunk);
      } catch (cause) {
        return stoppedAt(ports, chunk[0]!, cause);
      }
    }
    return { batchItemFailures: [] };
  };

async function project(
  { archive, observations, telemetry }: ProjectPorts,
  records: readonly DynamoDBRecord[],
): Promise<void> {
  const entries = records.flatMap((record) => {
    if (record.eventName === 'INSERT') return [entryOf(record)];
    // Nothing of ours updates or deletes evidence; whoever did has left a trace here.
    telemetry.log('error', 'evidence was changed after it was written', { keys: record.dynamodb?.Keys });
    return [];
  });
  // The copies first: an entry that is marked as counted is then known to be archived.
  await Promise.all(entries.map((entry) => archive.keep(entry)));
  await observations.apply(entries.map(projectEntry));
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
