/** The archive and checkpoints in a bucket shared by all gateways that use a store [shared.gateways]. */
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { archiveBucket } from '#adapters/aws/archive-bucket.ts';
import { checkpointBucket } from '#adapters/aws/checkpoint-bucket.ts';
import { objectBounds } from '#adapters/aws/client-bounds.ts';
import type { ArchiveReader, CheckpointLog, Signer } from '#core/evidence/ports.ts';
import type { Clock } from '#core/kernel/ports.ts';
import type { Archive } from '#core/observatory/ports.ts';

interface EvidenceBucketOptions {
  readonly bucket: string;
  readonly signer: Signer;
  readonly clock: Clock;
  readonly environment: NodeJS.ProcessEnv;
}

interface EvidenceBucket {
  readonly archived: Archive & ArchiveReader;
  /** For readers: always reads from the bucket, since other gateways write to it as well. */
  readonly checkpoints: CheckpointLog;
  /** For the writer, which caches its own writes. */
  readonly written: CheckpointLog;
  close(): void;
}

/**
 * Opens the bucket. Address, region and credentials come from the SDK's environment (`AWS_ENDPOINT_URL_S3`,
 * `AWS_REGION`, …). @throws Error if the bucket does not respond.
 */
export async function evidenceBucket(options: EvidenceBucketOptions): Promise<EvidenceBucket> {
  const { bucket, signer, clock, environment } = options;
  const endpoint = environment.AWS_ENDPOINT_URL_S3 || environment.AWS_ENDPOINT_URL;
  const client = new S3Client({
    ...objectBounds(),
    region: environment.AWS_REGION || environment.AWS_DEFAULT_REGION || 'us-east-1',
    // Servers other than S3 have no host name per bucket.
    ...(endpoint && { endpoint, forcePathStyle: true }),
  });
  try {
    await client.send(new ListObjectsV2Command({ Bucket: bucket, MaxKeys: 1 }));
  } catch (cause) {
    client.destroy();
    const { name, message } = cause as Error;
    throw new Error(
      `The bucket GATEWAY_ARCHIVE_BUCKET=${bucket} cannot be listed${endpoint ? ` at ${endpoint}` : ''}: ${name}: ${message}. Check its name, AWS_REGION, AWS_ENDPOINT_URL_S3 and the credentials.`,
      { cause },
    );
  }
  const kept = { bucket, signer, clock, client };
  return {
    archived: archiveBucket(kept),
    checkpoints: checkpointBucket(kept),
    written: checkpointBucket({ ...kept, remembers: true }),
    close: () => client.destroy(),
  };
}
