/** The log of chain points for functions on AWS. The feature that keeps one has a second line here. */

export type { AwsLogs } from './feature.ts';
export { awsLog, awsLogReader } from './transparency-log/adapters/aws.ts';
