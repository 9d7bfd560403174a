/** The transparency log on AWS: head in DynamoDB, objects under Object Lock, key in KMS. */
import { kmsLogSigner, type LogKeyIds } from '#adapters/aws/kms-signer.ts';
import { type LogBucketOptions, logBucket } from '#adapters/aws/log-bucket.ts';
import { systemClock } from '#adapters/system/clock.ts';
import { logTable } from '#adapters/tables/log-table.ts';
import { TransparencyLog } from '#core/evidence/transparency/log.ts';
import { LogReader, type LogReaderPorts } from '#core/evidence/transparency/log-reader.ts';

interface AwsLogOptions extends LogBucketOptions {
  readonly keys: LogKeyIds;
  readonly store: Parameters<typeof logTable>[0];
}

const partsOf = ({ keys, store, ...objects }: AwsLogOptions): LogReaderPorts => ({
  heads: logTable(store),
  objects: logBucket(objects),
  signer: kmsLogSigner(keys),
});

/** Returns a log reader for functions that may not put objects. */
export const awsLogReader = (options: AwsLogOptions): LogReader => new LogReader(partsOf(options));

export const awsLog = (options: AwsLogOptions): TransparencyLog =>
  new TransparencyLog({
    ...partsOf(options),
    clock: systemClock,
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  });
