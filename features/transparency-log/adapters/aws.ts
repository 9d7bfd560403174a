/** The transparency log on AWS: head in DynamoDB, objects under Object Lock, key in KMS. */
import { systemClock } from '#adapters/system/clock.ts';
import type { AwsLogOptions, AwsLogs } from '../../feature.ts';
import { TransparencyLog } from '../log.ts';
import { LogReader, type LogReaderPorts } from '../log-reader.ts';
import { kmsLogSigner, logKeyIds } from './kms-log-signer.ts';
import { logBucket } from './log-bucket.ts';
import { logTable } from './log-table.ts';

/** Returns the log's parts, or undefined if the deployment has no log key. */
function logReaderPorts({ environment, store, ...objects }: AwsLogOptions): LogReaderPorts | undefined {
  const keys = logKeyIds(environment);
  return keys && { heads: logTable(store), objects: logBucket(objects), signer: kmsLogSigner(keys) };
}

/** Returns a log reader for functions that may not put objects. */
export const awsLogReader: AwsLogs['awsLogReader'] = (options) => {
  const parts = logReaderPorts(options);
  return parts && new LogReader(parts);
};

export const awsLog: AwsLogs['awsLog'] = (options) => {
  const parts = logReaderPorts(options);
  const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  return parts && new TransparencyLog({ ...parts, clock: systemClock, pause });
};
