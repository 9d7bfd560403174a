/** The transparency log on AWS, for the functions that append to it: head in DynamoDB, objects under Object Lock, key in KMS. */
import { kmsLogSigner } from '#adapters/aws/kms-signer.ts';
import { type LogBucketOptions, logBucket } from '#adapters/aws/log-bucket.ts';
import { logTable } from '#adapters/dynamodb/log-table.ts';
import { systemClock } from '#adapters/system/clock.ts';
import { TransparencyLog } from '#core/transparency/log.ts';

export interface AwsLogOptions extends LogBucketOptions {
  readonly keyId: string;
  readonly store: Parameters<typeof logTable>[0];
}

export const awsLog = ({ keyId, store, ...objects }: AwsLogOptions): TransparencyLog =>
  new TransparencyLog({
    heads: logTable(store),
    objects: logBucket(objects),
    signer: kmsLogSigner(keyId),
    clock: systemClock,
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  });
