/**
 * Adds checkpoints for queued chain segments. A single signature covers everything that the stream delivers at the same
 * time.
 */
import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import { chainsOfImage } from '#adapters/tables/chain-queue.ts';
import type { ChainStretch } from '#core/evidence/chain-stretch.ts';
import type { Telemetry } from '#core/kernel/ports.ts';

export interface ChainsPorts {
  readonly coverStretches: (stretches: readonly ChainStretch[]) => Promise<void>;
  readonly telemetry: Telemetry;
}

/**
 * Returns the record from which the stream must repeat after a fault. Segments that are already covered are then
 * skipped.
 */
export async function coverQueued(
  { coverStretches, telemetry }: ChainsPorts,
  records: readonly DynamoDBRecord[],
): Promise<DynamoDBBatchResponse> {
  const stretches = records.flatMap((record) => {
    try {
      return chainsOfImage(record.dynamodb?.NewImage);
    } catch {
      telemetry.count('svc_projection_unreadable_total', {});
      telemetry.log('error', 'a queued chain cannot be read', { keys: record.dynamodb?.Keys });
      return [];
    }
  });
  try {
    if (stretches.length > 0) await coverStretches(stretches);
    return { batchItemFailures: [] };
  } catch (cause) {
    const itemIdentifier = records[0]?.dynamodb?.SequenceNumber;
    telemetry.log('error', 'queued chains were not covered', { error: String(cause), records: records.length });
    if (itemIdentifier === undefined) throw cause;
    return { batchItemFailures: [{ itemIdentifier }] };
  }
}
