/** Archive, checkpoints and transparency log on AWS, for the functions that read or write them. */
import { archiveBucket } from '#adapters/aws/archive-bucket.ts';
import { checkpointBucket } from '#adapters/aws/checkpoint-bucket.ts';
import { contradictionRows } from '#adapters/tables/set-aside-rows.ts';
import { checkpointEntries } from '#core/evidence/checkpointer.ts';
import type { AwsLogs } from '#features/aws-logs.ts';
import * as logs from '#features/aws-logs.ts';
import type { EvidenceSources } from './aws.ts';

/** Reads the archive. */
export const archive = ({ bucket, signer, clock }: EvidenceSources) => ({
  archived: archiveBucket({ bucket }),
  checkpoints: checkpointBucket({ bucket, signer, clock }),
});

/** Reads the archive and the transparency log. */
export const archiveAndLog = (from: EvidenceSources) => ({
  ...archive(from),
  transparency: (logs as Partial<AwsLogs>).awsLogReader?.(from),
});

/** Writes the archive and adds checkpoints for its copies, which the log witnesses. */
export const archiving = (from: EvidenceSources) => {
  const { bucket, clock, telemetry } = from;
  const contradictions = contradictionRows(from.store);
  const { checkpoints } = archive(from);
  const written = archiveBucket({ bucket });
  const log = (logs as Partial<AwsLogs>).awsLog?.(from);
  const cover = (entries: Parameters<typeof checkpointEntries>[1]) =>
    checkpointEntries({ checkpoints, archive: written, log, clock, contradictions, telemetry }, entries);
  return { archived: written, checkpoints, archiving: { archive: written, cover, log } };
};
