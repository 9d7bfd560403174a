/**
 * The evidence archive: copies of entries that no role can change. Only the roles of the archiving functions may put
 * objects, and only if no object exists; no role may delete. During a restore, the role that copies an archive may also
 * put objects. Checkpoints are in the same bucket, under `@checkpoints/`.
 */
import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import { AnyPrincipal, Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectLockRetention, StorageClass } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { FunctionSpec } from '#core/contracts/function-spec.ts';
import type { FunctionName } from '#core/contracts/functions.ts';
import { functions } from '#features/functions.ts';
import { BucketCopy } from './copies.ts';
import { accept } from './findings.ts';
import { type GatewaySettings, roleName } from './settings.ts';

interface ArchiveBucketProps {
  readonly settings: GatewaySettings;
}

export class ArchiveBucket extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, { settings }: ArchiveBucketProps) {
    super(scope, id);
    const { copies } = settings;
    const copy = copies && new BucketCopy(this, 'Copy', { settings, copies, of: 'archive' });
    this.bucket = new Bucket(this, 'Bucket', {
      ...copy?.properties,
      versioned: true,
      objectLockEnabled: true,
      objectLockDefaultRetention: ObjectLockRetention.compliance(Duration.days(settings.archiveDays)),
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: settings.httpsOnly,
      // S3 does not transition objects below 128 kB, which would cost more there.
      lifecycleRules: [
        {
          abortIncompleteMultipartUploadAfter: Duration.days(7),
          transitions: [{ storageClass: StorageClass.GLACIER_INSTANT_RETRIEVAL, transitionAfter: Duration.days(90) }],
        },
      ],
      removalPolicy: settings.storeRemoval,
    });
    copy?.readFrom(this.bucket);
    accept(this, {
      'AwsSolutions-S1':
        'Two function roles may put objects, and no role may change or delete them; readers are auditors, and CloudTrail data events can record them.',
    });
    this.#denyAllWriters(settings);
    this.#deny('NobodyDeletes', ['s3:DeleteObject', 's3:DeleteObjectVersion', 's3:BypassGovernanceRetention']);
    // The emulator does not support this condition key and would refuse every put.
    if (!settings.emulator) this.#deny('NobodyOverwrites', ['s3:PutObject'], { Null: { 's3:if-none-match': 'true' } });
  }

  /**
   * Denies puts by all roles except the writers, which are identified by name rather than by reference because their
   * functions are in a later stack.
   */
  #denyAllWriters(settings: GatewaySettings): void {
    const arn = (service: string, resource: string, resourceName: string): string =>
      Stack.of(this).formatArn({
        service,
        region: '',
        resource,
        resourceName,
        arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
      });
    // AWS sends the role, while the emulator sends its session.
    const writers = (Object.entries(functions) as [FunctionName, FunctionSpec][])
      .filter(([, { archives }]) => archives)
      .map(([name]) => roleName(this, settings, name))
      .flatMap((role) => [arn('iam', 'role', role), arn('sts', 'assumed-role', `${role}/*`)]);
    if (settings.restoring !== undefined) writers.push(settings.restoring);
    this.#deny('OnlyArchivingFunctionsWrite', ['s3:PutObject'], { ArnNotLike: { 'aws:PrincipalArn': writers } });
  }

  #deny(sid: string, actions: string[], conditions: Record<string, Record<string, string | string[]>> = {}): void {
    const resources = [this.bucket.arnForObjects('*')];
    const principals = [new AnyPrincipal()];
    this.bucket.addToResourcePolicy(
      new PolicyStatement({ sid, effect: Effect.DENY, principals, actions, resources, conditions }),
    );
  }
}
