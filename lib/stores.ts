/**
 * The stores as other stacks see them: tables by name, and buckets, keys and streams by the outputs of the stores
 * stack. Stacks do not import exports, which would lock the stores, because CloudFormation does not remove an export
 * that is in use [cloud.weak-references].
 */
import { Aws, Fn, Stack } from 'aws-cdk-lib';
import { type ITable, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Bucket, type IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { TableName } from '#core/contracts/tables.ts';
import { tables } from '#features/tables.ts';
import { type GatewaySettings, stackName } from './settings.ts';

/** Purpose of a signing key. */
export type KeyPurpose = keyof GatewaySettings['keyGenerations'];

/** The outputs of the stores stack. A name never changes its meaning: later keys have separate outputs. */
export const storeOutput = {
  objects: 'ObjectBucketName',
  archive: 'ArchiveBucketName',
  stream: (table: string): string => `${table[0]!.toUpperCase()}${table.slice(1)}StreamArn`,
  key: (signs: KeyPurpose, generation: number): string =>
    `${{ evidence: 'SigningKeyId', votes: 'VoteKeyId', log: 'LogKeyId' }[signs]}${generation === 1 ? '' : generation}`,
} as const;

/** A KMS key that signs, with the keys that preceded it. */
interface StoredKey {
  readonly keyId: string;
  readonly keyArn: string;
  /** ARNs of earlier generations, oldest first. */
  readonly formerArns: readonly string[];
}

export class Stores extends Construct {
  readonly tables: Readonly<Record<TableName, ITable>>;
  readonly objects: IBucket;
  readonly archive: IBucket;
  readonly signingKey: StoredKey;
  readonly voteKey: StoredKey;
  /** Absent if the deployment has no transparency log. */
  readonly logKey?: StoredKey;

  constructor(scope: Construct, id: string, { settings }: { readonly settings: GatewaySettings }) {
    super(scope, id);
    const output = (name: string): string => Fn.getStackOutput(stackName(settings, 'stores'), name);
    const arn = (keyId: string): string =>
      Stack.of(this).formatArn({ service: 'kms', resource: 'key', resourceName: keyId });
    const key = (signs: KeyPurpose): StoredKey => {
      const ids = Array.from({ length: settings.keyGenerations[signs] }, (_, at) =>
        output(storeOutput.key(signs, at + 1)),
      );
      const keyId = ids.at(-1)!;
      return { keyId, keyArn: arn(keyId), formerArns: ids.slice(0, -1).map(arn) };
    };
    this.tables = Object.fromEntries(
      Object.entries(tables).map(([name, { stream }]) => [
        name,
        Table.fromTableAttributes(this, `${name}Table`, {
          tableName: `${settings.name}-${name}`,
          ...(stream && { tableStreamArn: output(storeOutput.stream(name)) }),
        }),
      ]),
    ) as Record<TableName, ITable>;
    const bucket = (construct: string, name: string): IBucket =>
      Bucket.fromBucketAttributes(this, construct, {
        bucketName: output(name),
        // The partition is a reference in every environment, because accepted findings name it.
        bucketArn: `arn:${Aws.PARTITION}:s3:::${output(name)}`,
      });
    this.objects = bucket('Objects', storeOutput.objects);
    this.archive = bucket('Archive', storeOutput.archive);
    this.signingKey = key('evidence');
    this.voteKey = key('votes');
    if (settings.transparencyLog) this.logKey = key('log');
  }
}

/** Returns the id of the cdk-nag finding for all objects below a path in a bucket. */
export const findingOnObjects = (settings: GatewaySettings, output: string, path: string): string => {
  const bucket = JSON.stringify({
    'Fn::GetStackOutput': { StackName: stackName(settings, 'stores'), OutputName: output },
  });
  return `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:s3:::${bucket}/${path}]`;
};
