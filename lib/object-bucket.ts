/** Bodies by content: policy versions and large results, under the SHA-256 of their bytes. */
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { accept } from './findings.ts';
import type { GatewaySettings } from './settings.ts';

export interface ObjectBucketProps {
  readonly settings: GatewaySettings;
}

export class ObjectBucket extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, { settings }: ObjectBucketProps) {
    super(scope, id);
    this.bucket = new Bucket(this, 'Bucket', {
      versioned: true,
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: settings.httpsOnly,
      removalPolicy: settings.storeRemoval,
    });
    accept(this, {
      'AwsSolutions-S1':
        'Read and written by the gateway only, whose every act is evidence; an access log would be a second, weaker one.',
    });
  }
}
