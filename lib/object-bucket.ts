/** Content-addressed bodies: policy versions and large results, stored under the SHA-256 of their bytes. */
import { Duration } from 'aws-cdk-lib';
import { AnyPrincipal, Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { BucketCopy } from './copies.ts';
import { accept } from './findings.ts';
import type { GatewaySettings } from './settings.ts';

interface ObjectBucketProps {
  readonly settings: GatewaySettings;
}

export class ObjectBucket extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, { settings }: ObjectBucketProps) {
    super(scope, id);
    const { copies } = settings;
    const copy = copies && new BucketCopy(this, 'Copy', { settings, copies, of: 'objects' });
    this.bucket = new Bucket(this, 'Bucket', {
      ...copy?.properties,
      versioned: true,
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: settings.httpsOnly,
      // A removed body is retained long enough for a mistake to be noticed.
      lifecycleRules: [
        { abortIncompleteMultipartUploadAfter: Duration.days(7), noncurrentVersionExpiration: Duration.days(90) },
      ],
      removalPolicy: settings.storeRemoval,
    });
    copy?.readFrom(this.bucket);
    // A body is never replaced, because its name is its digest. The emulator does not support this condition key and
    // would refuse every put.
    if (!settings.emulator) {
      this.bucket.addToResourcePolicy(
        new PolicyStatement({
          sid: 'NobodyOverwrites',
          effect: Effect.DENY,
          principals: [new AnyPrincipal()],
          actions: ['s3:PutObject'],
          resources: [this.bucket.arnForObjects('*')],
          conditions: { Null: { 's3:if-none-match': 'true' } },
        }),
      );
    }
    accept(this, {
      'AwsSolutions-S1':
        'Only the gateway reads and writes it, and evidence records every access; an access log would be a second, weaker record.',
    });
  }
}
