/**
 * The console on AWS [cloud.edge]: its built files are in a bucket that only CloudFront reads. They are served under
 * `/console/` on the admin host, so that the pages and the API share an origin. The files are public code; the data
 * they show requires a key.
 */
import { Duration, RemovalPolicy, Stack, Token } from 'aws-cdk-lib';
import {
  AllowedMethods,
  type BehaviorOptions,
  CachePolicy,
  type Function as EdgeFunction,
  FunctionEventType,
  HeadersFrameOption,
  HeadersReferrerPolicy,
  ResponseHeadersPolicy,
  S3OriginAccessControl,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket } from 'aws-cdk-lib/aws-s3';
import { BucketDeployment, CacheControl, Source } from 'aws-cdk-lib/aws-s3-deployment';
import { Construct } from 'constructs';
import { cacheControlOf, consoleHeaders, hashedPrefix } from '#core/contracts/console.ts';
import { accept } from './findings.ts';
import { nameOfAccount } from './name-of-account.ts';

interface ConsoleFilesProps {
  /** Name of the deployment. */
  readonly name: string;
  /** Folder with the built files, from `npm run bundle`. */
  readonly folder: string;
  /** Maps `/console/<file>` to the file's name. */
  readonly edgeFunction: EdgeFunction;
}

export class ConsoleFiles extends Construct {
  /** CloudFront's behavior for `/console` and `/console/*`. */
  readonly behavior: BehaviorOptions;

  constructor(scope: Construct, id: string, { name, folder, edgeFunction }: ConsoleFilesProps) {
    super(scope, id);
    const bucket = new Bucket(this, 'Bucket', {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    accept(bucket, { 'AwsSolutions-S1': 'The files are public code, and CloudFront alone reads them.' });
    this.behavior = {
      // Without permission to list, S3 answers 403 for a missing file.
      origin: S3BucketOrigin.withOriginAccessControl(bucket as IBucket, {
        originAccessControl: new S3OriginAccessControl(this, 'Access', {
          originAccessControlName: nameOfAccount(this, name, 'console'),
        }),
      }),
      viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
      allowedMethods: AllowedMethods.ALLOW_GET_HEAD,
      // The cache key has no header, cookie or query; the files' own headers require revalidation.
      cachePolicy: CachePolicy.CACHING_OPTIMIZED,
      compress: true,
      functionAssociations: [{ function: edgeFunction, eventType: FunctionEventType.VIEWER_REQUEST }],
      responseHeadersPolicy: this.#headers(name),
    };
    this.#upload(bucket as IBucket, folder);
  }

  #headers(name: string): ResponseHeadersPolicy {
    const {
      'content-security-policy': contentSecurityPolicy,
      'x-frame-options': _frame,
      'referrer-policy': _referrer,
      ...further
    } = consoleHeaders;
    return new ResponseHeadersPolicy(this, 'Headers', {
      responseHeadersPolicyName: nameOfAccount(this, name, 'console'),
      comment: 'Response headers of the console',
      securityHeadersBehavior: {
        contentSecurityPolicy: { contentSecurityPolicy, override: true },
        contentTypeOptions: { override: true },
        frameOptions: { frameOption: HeadersFrameOption.DENY, override: true },
        referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.NO_REFERRER, override: true },
        strictTransportSecurity: { accessControlMaxAge: Duration.days(365), override: true },
      },
      customHeadersBehavior: {
        customHeaders: Object.entries(further).map(([header, value]) => ({ header, value, override: true })),
      },
    });
  }

  #upload(bucket: IBucket, folder: string): void {
    const sources = [Source.asset(folder)];
    const logGroup = new LogGroup(this, 'Logs', {
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const common = {
      sources,
      destinationBucket: bucket,
      // Pages that are open during a deployment can still load their chunks, whose names are unique.
      prune: false,
      // The bucket is emptied and removed with the stack.
      retainOnDelete: false,
      logGroup,
    };
    const hashed = new BucketDeployment(this, 'HashedFiles', {
      ...common,
      exclude: ['*'],
      include: [`${hashedPrefix}*`],
      cacheControl: [CacheControl.fromString(cacheControlOf(hashedPrefix))],
    });
    const others = new BucketDeployment(this, 'Files', {
      ...common,
      exclude: [`${hashedPrefix}*`],
      cacheControl: [CacheControl.fromString(cacheControlOf('index.html'))],
    });
    // The page never names a chunk that has not been uploaded yet.
    others.node.addDependency(hashed);
    const uploader = Stack.of(this).node.children.find(({ node }) => node.id.startsWith('Custom::CDKBucketDeployment'));
    accept(uploader!, findings(this));
  }
}

const copies = "The CDK's own function copies the files during a deployment; the CDK defines its role and its runtime.";

/**
 * Returns the findings, with resources named as the rules name them: with the account and region if known, otherwise
 * with references.
 */
const findings = (scope: Construct): Readonly<Record<string, string>> => {
  const { account, region, partition } = Stack.of(scope);
  const named = (value: string, reference: string) => (Token.isUnresolved(value) ? `<AWS::${reference}>` : value);
  const staged = `cdk-hnb659fds-assets-${named(account, 'AccountId')}-${named(region, 'Region')}`;
  return Object.fromEntries(
    [
      'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]',
      ...['GetBucket*', 'GetObject*', 'List*', 'Abort*', 'DeleteObject*'].map((action) => `IAM5[Action::s3:${action}]`),
      `IAM5[Resource::arn:${named(partition, 'Partition')}:s3:::${staged}/*]`,
      'IAM5[Resource::<DistributionsConsoleBucketC42450E7.Arn>/*]',
      'L1',
    ].map((id) => [`AwsSolutions-${id}`, copies]),
  );
};
