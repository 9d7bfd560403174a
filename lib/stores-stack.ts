/** Resources that outlive every deployment: tables, buckets, the signing keys, secrets. */
import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { ArchiveBucket } from './archive-bucket.ts';
import { ObjectBucket } from './object-bucket.ts';
import { GatewaySecrets, secretId } from './secrets.ts';
import type { GatewaySettings } from './settings.ts';
import { keysUpTo, type SigningKey } from './signing-key.ts';
import { type KeyPurpose, storeOutput } from './stores.ts';
import { GatewayTables } from './tables.ts';

interface GatewayStoresProps extends StackProps {
  readonly settings: GatewaySettings;
}

export class GatewayStores extends Stack {
  readonly tables: GatewayTables['byName'];
  readonly objects: Bucket;
  readonly archive: Bucket;
  /** All generations, oldest first. The list for the log is empty if the deployment does not keep a log. */
  readonly keys: Readonly<Record<KeyPurpose, readonly SigningKey[]>>;

  constructor(scope: Construct, id: string, props: GatewayStoresProps) {
    super(scope, id, props);
    const { settings } = props;
    const tables = new GatewayTables(this, 'Tables', { settings });
    const objects = new ObjectBucket(this, 'Objects', { settings });
    const archive = new ArchiveBucket(this, 'Archive', { settings });
    const signing = keysUpTo(this, 'Signing', { settings, signs: 'evidence' });
    const votes = keysUpTo(this, 'Votes', { settings, signs: 'votes' });
    const log = settings.transparencyLog ? keysUpTo(this, 'Log', { settings, signs: 'log' }) : [];
    const secrets = new GatewaySecrets(this, 'Secrets', { settings });
    // A protected table cannot be rolled back, so all resources that can fail are created before the tables
    // [cloud.retained].
    tables.node.addDependency(objects, archive, ...signing, ...votes, secrets, ...log);
    this.tables = tables.byName;
    this.objects = objects.bucket;
    this.archive = archive.bucket;
    this.keys = { evidence: signing, votes, log };

    new CfnOutput(this, storeOutput.objects, { value: this.objects.bucketName });
    new CfnOutput(this, storeOutput.archive, { value: this.archive.bucketName });
    for (const [signs, keys] of Object.entries(this.keys) as [KeyPurpose, readonly SigningKey[]][])
      for (const [at, { key }] of keys.entries())
        new CfnOutput(this, storeOutput.key(signs, at + 1), { value: key.keyId });
    for (const [name, { tableStreamArn }] of Object.entries(this.tables))
      if (tableStreamArn) new CfnOutput(this, storeOutput.stream(name), { value: tableStreamArn });
    new CfnOutput(this, 'AdminSecretName', { value: secretId(settings, 'admin') });
    new CfnOutput(this, 'ConfigTableName', { value: this.tables.config.tableName });
    new CfnOutput(this, 'KeysSecretName', { value: secretId(settings, 'keys') });
  }
}
