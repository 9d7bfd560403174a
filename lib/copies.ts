/**
 * Optional copies of the archive and of objects in another account's buckets: S3 replicates each new object together
 * with its retention. The role may add versions to a copy, but may neither delete nor read them.
 */
import { Aws, Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Bucket, type CfnBucket, ReplicationTimeValue } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { CopiedBucket, CopySettings } from './copy-settings.ts';
import { accept } from './findings.ts';
import type { GatewaySettings } from './settings.ts';

interface BucketCopyProps {
  readonly settings: GatewaySettings;
  readonly copies: CopySettings;
  readonly of: CopiedBucket;
}

export class BucketCopy extends Construct {
  readonly #role: Role;
  readonly #copy: { readonly name: string; readonly arn: string; readonly account: string };

  constructor(scope: Construct, id: string, { settings, copies, of }: BucketCopyProps) {
    super(scope, id);
    this.#copy = { name: copies[of], arn: `arn:${Aws.PARTITION}:s3:::${copies[of]}`, account: copies.account };
    this.#role = new Role(this, 'Role', {
      // The name is fixed because the copy's policy contains it.
      roleName: `${settings.name}-${of}-copy-${Stack.of(this).region}`,
      description: `Copies new objects of the ${of} bucket to another account`,
      assumedBy: new ServicePrincipal('s3.amazonaws.com'),
    });
  }

  /** Properties for the bucket that is copied. */
  get properties() {
    const { name, account } = this.#copy;
    const destination = Bucket.fromBucketAttributes(this, 'Copy', { bucketName: name, account });
    // Metrics count the objects that could not be copied. The rule has no replication deadline, which would be billed.
    const rule = { id: 'copy', destination, metrics: ReplicationTimeValue.FIFTEEN_MINUTES };
    return { replicationRole: this.#role, replicationRules: [rule] };
  }

  /** Lets the role read the bucket, and write the copy only in the named account. */
  readFrom(source: Bucket): void {
    const { arn, account } = this.#copy;
    const allow = (resources: string[], actions: string[], conditions = {}) =>
      this.#role.addToPolicy(
        new PolicyStatement({ resources, actions: actions.map((action) => `s3:${action}`), conditions }),
      );
    allow([source.bucketArn], ['GetReplicationConfiguration', 'ListBucket']);
    allow(
      [source.arnForObjects('*')],
      [
        ...['GetObjectVersionForReplication', 'GetObjectVersionAcl', 'GetObjectVersionTagging'],
        ...['GetObjectRetention', 'GetObjectLegalHold'],
      ],
    );
    allow([`${arn}/*`], ['ReplicateObject', 'ReplicateTags'], { StringEquals: { 's3:ResourceAccount': account } });
    const id = Stack.of(this).getLogicalId(source.node.defaultChild as CfnBucket);
    for (const objects of [`<${id}.Arn>`, arn.replace(Aws.PARTITION, '<AWS::Partition>')])
      accept(this, {
        [`AwsSolutions-IAM5[Resource::${objects}/*]`]: 'Every object of a bucket is copied, under the same name.',
      });
  }
}
