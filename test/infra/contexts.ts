/** Contexts under which stacks are synthesized. */
import { contextKeys } from '../../lib/context-keys.ts';

/**
 * Maximum number of resources per stack. CloudFormation allows 500; the rest leaves room for the routes and functions
 * of later releases.
 */
export const mostResources = 350;
export const account = '123456789012';
export const own = {
  domain: 'gateway.example.com',
  certificate: `arn:aws:acm:eu-central-1:${account}:certificate/regional`,
  hostedZoneId: 'Z0123456789',
};
export const vpc = {
  vpcId: 'vpc-0a1b2c3d',
  subnetIds: 'subnet-0a1b2c3d,subnet-0a1b2c3e',
  securityGroupIds: 'sg-0a1b2c3d',
};
export const cloudFront = {
  ...own,
  edge: 'on',
  edgeCertificate: `arn:aws:acm:us-east-1:${account}:certificate/global`,
};

export const withNetworks = { ...cloudFront, adminCidrs: '203.0.113.0/24,2001:db8::/32' };
export const privateAdmin = {
  ...cloudFront,
  ...vpc,
  admin: 'private',
  adminCidrs: '10.0.0.0/8',
  vpcEndpoints: 'on',
  routeTableIds: 'rtb-0a1b2c3d,rtb-0a1b2c3e',
};

/** Options that change existing resources but add none. Test files that check one of them share the stacks. */
export const asked = {
  provisionedConcurrency: 'test-action=5,approval-callback=2',
  warmWrites: 'evidence=8000',
  warmReads: { sessions: 20_000 },
  otlpTraces: 'on',
  streamPaddingBytes: 2048,
  tags: 'team=agents,cost-center=42',
  requestsPerSecond: 'actions=8000,admin=300',
  accountRequestsPerSecond: 12_000,
  accountConcurrency: 5_000,
};

/** Returns the options of the streaming plane, or no options if that feature is missing. */
const withPlane = <Options extends object>(options: Options): Partial<Options> =>
  contextKeys.includes('streamingPlane') ? options : {};

export const certificate = 'arn:aws:acm:eu-west-1:123456789012:certificate/0a1b2c3d';

/** Streaming plane in its own VPC, with TLS. */
export const ownPlane = withPlane({
  streamingPlane: 'fargate',
  streamingCertificate: certificate,
  streamingHost: 'stream.example.com',
});

/** Streaming plane in a named VPC, over plain HTTP. */
export const namedPlane = withPlane({
  stage: 'dev',
  streamingPlane: 'fargate',
  streamingAccess: 'private',
  vpcId: 'vpc-0a1b2c3d',
  subnetIds: 'subnet-0000000a,subnet-0000000b',
  securityGroupIds: 'sg-0a1b2c3d',
  streamingSubnetIds: 'subnet-0000000c,subnet-0000000d',
});

/** Options for copies to buckets in another account. */
export const copies = { copyAccount: '210987654321', archiveCopy: 'copy-of-archive', objectsCopy: 'copy-of-objects' };

/** Every option that adds resources. */
export const everything = (region: string) => ({
  ...cloudFront,
  ...vpc,
  certificate: `arn:aws:acm:${region}:123456789012:certificate/regional`,
  canary: 'on',
  dataPlane: 'on',
  iamCallers: 'on',
  otlpTraces: 'on',
  vpcEndpoints: 'on',
  routeTableIds: 'rtb-0a1b2c3d,rtb-0a1b2c3e',
  ...copies,
  ...withPlane({
    streamingPlane: 'fargate',
    streamingHost: 'stream.gateway.example.com',
    streamingSubnetIds: 'subnet-0000000c,subnet-0000000d',
    streamingCertificate: `arn:aws:acm:${region}:123456789012:certificate/stream`,
  }),
});
