/** Resources that outlive every deployment: tables, buckets, the signing keys, secrets. */
import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { ArchiveBucket } from './archive-bucket.ts';
import { ObjectBucket } from './object-bucket.ts';
import { GatewaySecrets, secretId } from './secrets.ts';
import type { GatewaySettings } from './settings.ts';
import { SigningKey } from './signing-key.ts';
import { GatewayTables } from './tables.ts';

interface GatewayStoresProps extends StackProps {
  readonly settings: GatewaySettings;
}

export class GatewayStores extends Stack {
  readonly tables: GatewayTables['byName'];
  readonly objects: Bucket;
  readonly archive: Bucket;
  readonly signingKey: IKey;
  readonly voteKey: IKey;
  /** Absent if the deployment has no transparency log. */
  readonly logKey?: IKey;

  constructor(scope: Construct, id: string, props: GatewayStoresProps) {
    super(scope, id, props);
    const { settings } = props;
    const tables = new GatewayTables(this, 'Tables', { settings });
    const objects = new ObjectBucket(this, 'Objects', { settings });
    const archive = new ArchiveBucket(this, 'Archive', { settings });
    const signing = new SigningKey(this, 'Signing', { settings, signs: 'evidence' });
    const votes = new SigningKey(this, 'Votes', { settings, signs: 'votes' });
    const log = settings.transparencyLog ? logKey(this, settings) : undefined;
    const secrets = new GatewaySecrets(this, 'Secrets', { settings });
    // A protected table cannot be rolled back, so all resources that can fail are created before the tables
    // [cloud.retained].
    tables.node.addDependency(objects, archive, signing, votes, secrets, ...(log ? [log] : []));
    this.tables = tables.byName;
    this.objects = objects.bucket;
    this.archive = archive.bucket;
    this.signingKey = signing.key;
    this.voteKey = votes.key;
    if (log) this.logKey = log.key;

    new CfnOutput(this, 'ObjectBucketName', { value: this.objects.bucketName });
    new CfnOutput(this, 'ArchiveBucketName', { value: this.archive.bucketName });
    new CfnOutput(this, 'SigningKeyId', { value: this.signingKey.keyId });
    new CfnOutput(this, 'AdminSecretName', { value: secretId(settings, 'admin') });
    new CfnOutput(this, 'ConfigTableName', { value: this.tables.config.tableName });
    new CfnOutput(this, 'VoteKeyId', { value: this.voteKey.keyId });
    if (log) new CfnOutput(this, 'LogKeyId', { value: log.key.keyId });
    new CfnOutput(this, 'KeysSecretName', { value: secretId(settings, 'keys') });
  }
}

/** Creates the key. Each generation is a separate resource, so a new one leaves the previous key unchanged. */
function logKey(scope: Construct, settings: GatewaySettings): SigningKey {
  const { logKeyGeneration: generation } = settings;
  return new SigningKey(scope, generation === 1 ? 'Log' : `Log${generation}`, {
    settings,
    signs: 'log',
    ...(generation > 1 && { generation }),
  });
}
