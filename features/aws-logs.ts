/** The log of chain points for functions on AWS. A feature that keeps such a log also adds a line here. */

export type { AwsLogs } from './feature.ts';
export { awsLog, awsLogReader } from './transparency-log/adapters/aws.ts';
