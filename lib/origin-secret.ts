/**
 * The secret that authenticates CloudFront to the APIs [cloud.edge]. Templates contain only references; CloudFormation
 * inserts the value into the distributions and the web ACL, where any role that may read those resources can see it.
 */
import { RemovalPolicy, SecretValue } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { accept } from './findings.ts';

interface OriginSecretProps {
  /** Accepted versions; if empty, only the current version is accepted. */
  readonly versions: readonly string[];
}

export class OriginSecret extends Construct {
  readonly arn: string;
  /** References to the accepted values; the first one is sent. */
  readonly values: readonly [string, ...string[]];

  constructor(scope: Construct, id: string, { versions }: OriginSecretProps) {
    super(scope, id);
    const secret = new Secret(this, 'Secret', {
      // Has no fixed name, so that the edge can be removed and added again.
      description: 'agent governance gateway: secret by which the APIs recognise CloudFront',
      generateSecretString: { passwordLength: 48, excludePunctuation: true },
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.arn = secret.secretArn;
    const reference = (versionId?: string) =>
      SecretValue.secretsManager(secret.secretArn, { ...(versionId && { versionId }) }).unsafeUnwrap();
    const [first, ...others] = versions;
    this.values = [reference(first), ...others.map(reference)];
    accept(this, {
      'AwsSolutions-SMG4':
        'The value is also in distributions and the web ACL, so replacing it takes two deployments, as the guide describes.',
    });
  }
}
