/** Projects the evidence stream into observations and the archive: ordered per session, idempotent by entry hash. */
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { Telemetry } from '#core/kernel/ports.ts';
import type { Archive, Observations } from '#core/observatory/ports.ts';
import { projectEntry } from '#core/observatory/project.ts';

export interface ProjectPorts {
  readonly observations: Observations;
  readonly archive: Archive;
  readonly telemetry: Telemetry;
}

export const door = (ports: ProjectPorts) => async (event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
  for (const record of event.Records) {
    try {
      const text = record.dynamodb?.NewImage?.entry?.S;
      if (record.eventName !== 'INSERT' || text === undefined) continue;
      const entry = JSON.parse(text) as EvidenceEntry;
      await Promise.all([ports.observations.apply(projectEntry(entry)), ports.archive.keep(entry)]);
    } catch (cause) {
      // Later records wait behind this one, so that a session's entries arrive in order.
      ports.telemetry.log('error', 'projection stopped', { error: cause instanceof Error ? cause.message : String(cause) });
      const itemIdentifier = record.dynamodb?.SequenceNumber;
      if (itemIdentifier === undefined) throw cause;
      return { batchItemFailures: [{ itemIdentifier }] };
    }
  }
  return { batchItemFailures: [] };
};
