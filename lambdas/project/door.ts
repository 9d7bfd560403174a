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

/** Order does not matter to sums and copies, so several entries are worked on at once. */
const atOnce = 10;

export const door =
  (ports: ProjectPorts) =>
  async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
    for (let i = 0; i < Records.length; i += atOnce) {
      const chunk = Records.slice(i, i + atOnce);
      const outcomes = await Promise.allSettled(chunk.map((record) => project(ports, record)));
      const at = outcomes.findIndex(({ status }) => status === 'rejected');
      if (at >= 0) return stoppedAt(ports, chunk[at]!, (outcomes[at] as PromiseRejectedResult).reason);
    }
    return { batchItemFailures: [] };
  };

async function project({ archive, observations, telemetry }: ProjectPorts, record: DynamoDBRecord): Promise<void> {
  if (record.eventName !== 'INSERT') {
    // Nothing of ours updates or deletes evidence; whoever did has left a trace here.
    telemetry.log('error', 'evidence was changed after it was written', { keys: record.dynamodb?.Keys });
    return;
  }
  const text = record.dynamodb?.NewImage?.entry?.S;
  if (text === undefined) throw new Error('the record holds no entry');
  const entry = JSON.parse(text) as EvidenceEntry;
  // The copy first: an entry that is marked as counted is then known to be archived.
  await archive.keep(entry);
  await observations.apply(projectEntry(entry));
}

/** The stream is read again from this record on; what came after it and is done already counts once all the same. */
function stoppedAt({ telemetry }: ProjectPorts, record: DynamoDBRecord, cause: unknown): DynamoDBBatchResponse {
  const error = cause instanceof Error ? cause.message : String(cause);
  telemetry.log('error', 'projection stopped', { sequence: record.dynamodb?.SequenceNumber, error });
  const itemIdentifier = record.dynamodb?.SequenceNumber;
  if (itemIdentifier === undefined) throw cause;
  return { batchItemFailures: [{ itemIdentifier }] };
}
