/**
 * One deployment in several regions of an account, and in several accounts: names that must be unique in an account,
 * and references to resources elsewhere.
 */
import type { CloudFormationStackArtifact } from 'aws-cdk-lib/cx-api';
import { buildGateway } from '../../lib/gateway.ts';
import type { Loose } from '../support/loose.ts';
import { cloudFront, copies, everything, mostResources } from './contexts.ts';
import { emptyApp } from './synthesized.ts';

const synthesizedIn = (account: string, region: string, more = {}): readonly CloudFormationStackArtifact[] => {
  const app = emptyApp({ ...everything(region), ...more });
  buildGateway(app, { account, region });
  return app.synth().stacks;
};

const frankfurt = synthesizedIn('111111111111', 'eu-central-1');
const virginia = synthesizedIn('111111111111', 'us-east-1');
// Its console is not served by CloudFront, so it has fewer names.
const withPrivateAdmin = synthesizedIn('111111111111', 'eu-central-1', {
  admin: 'private',
  adminCidrs: '10.0.0.0/8',
  canary: 'off',
});
const ownHosts = synthesizedIn('111111111111', 'eu-central-1', { edge: 'off', edgeCertificate: undefined });
const longest = synthesizedIn('222222222222', 'ap-southeast-1', { name: 'abcdefghijklmnopqrstuvwxyz' });

test('[cloud.templates] no stack has more than 350 resources with every option enabled', () => {
  for (const { template, stackName } of [...frankfurt, ...withPrivateAdmin, ...ownHosts]) {
    const { length } = Object.keys(template.Resources);
    expect([stackName, length, length <= mostResources]).toEqual([stackName, length, true]);
  }
});

const resources = (stacks: readonly CloudFormationStackArtifact[]): readonly [string, Loose][] =>
  stacks.flatMap(({ template }) =>
    Object.values(template.Resources as Record<string, { Type: string; Properties?: Loose }>).map(
      ({ Type, Properties = {} }) => [Type, Properties] as [string, Loose],
    ),
  );

/** Names that are not scoped to a region, by resource type: bucket names are globally unique. */
const heldOnce: Readonly<Record<string, (properties: Loose) => unknown>> = {
  'AWS::IAM::Role': ({ RoleName }) => RoleName,
  'AWS::IAM::ManagedPolicy': ({ ManagedPolicyName }) => ManagedPolicyName,
  'AWS::IAM::InstanceProfile': ({ InstanceProfileName }) => InstanceProfileName,
  'AWS::IAM::User': ({ UserName }) => UserName,
  'AWS::IAM::Group': ({ GroupName }) => GroupName,
  'AWS::S3::Bucket': ({ BucketName }) => BucketName,
  'AWS::CloudFront::Function': ({ Name }) => Name,
  'AWS::CloudFront::ResponseHeadersPolicy': ({ ResponseHeadersPolicyConfig: { Name } }) => Name,
  'AWS::CloudFront::OriginAccessControl': ({ OriginAccessControlConfig: { Name } }) => Name,
  'AWS::CloudFront::OriginRequestPolicy': ({ OriginRequestPolicyConfig: { Name } }) => Name,
  'AWS::CloudFront::CachePolicy': ({ CachePolicyConfig: { Name } }) => Name,
  'AWS::CloudFront::KeyGroup': ({ KeyGroupConfig: { Name } }) => Name,
};

const namesOf = (stacks: readonly CloudFormationStackArtifact[]): readonly string[] =>
  resources(stacks).flatMap(([type, properties]) => {
    const name = heldOnce[type]?.(properties);
    return name === undefined ? [] : [`${type} ${JSON.stringify(name)}`];
  });

test('[cloud.name] every IAM, CloudFront and S3 resource type in the stacks is checked', () => {
  const unnamed = [
    'AWS::CloudFront::Distribution',
    'AWS::IAM::Policy', // its name is scoped to its role
    'AWS::S3::BucketPolicy',
  ];
  const types = new Set(resources(frankfurt).map(([type]) => type));
  const global = [...types].filter((type) => /^AWS::(IAM|CloudFront|S3|Route53)::/.test(type));
  expect(global.filter((type) => heldOnce[type] === undefined).sort()).toEqual(
    [...unnamed, 'AWS::Route53::RecordSet'].sort(),
  );
});

test('[cloud.name] deployments in two regions share no names that must be unique within an account', () => {
  const [here, there] = [namesOf(frankfurt), namesOf(virginia)];
  expect(here.length).toBeGreaterThan(30);
  expect(here.filter((name) => there.includes(name))).toEqual([]);
});

test('[cloud.name] account-wide names stay within the length limit, even with the longest deployment and region names', () => {
  for (const [type, properties] of resources(longest)) {
    const name = heldOnce[type]?.(properties);
    if (typeof name === 'string') expect([name, name.length <= 64]).toEqual([name, true]);
  }
});

test.each([
  ['eu-central-1', frankfurt, '111111111111'],
  ['us-east-1', virginia, '111111111111'],
  ['ap-southeast-1', longest, '222222222222'],
] as const)('[cloud.name] nothing in %s refers to another region or account', (region, stacks, account) => {
  for (const { template, stackName } of stacks) {
    // CloudFront certificates are in us-east-1, whatever the region of the deployment.
    const text = JSON.stringify(template).replaceAll(cloudFront.edgeCertificate, '');
    const named = [...text.matchAll(/arn:aws[a-z-]*:[a-z0-9-]+:([a-z]{2}-[a-z]+-\d)?:(\d{12})?:/g)];
    const regions = named.flatMap(([, found]) => (found ? [found] : []));
    const accounts = named.flatMap(([, , found]) => (found ? [found] : []));
    expect([stackName, regions.filter((found) => found !== region)]).toEqual([stackName, []]);
    // Resources that options name by ARN are in the operator's chosen place; all others are in the deployment's
    // account.
    expect([stackName, accounts.filter((found) => found !== account && found !== '123456789012')]).toEqual([
      stackName,
      [],
    ]);
    expect(text).not.toContain(region === 'us-east-1' ? 'eu-central-1' : 'us-east-1');
  }
});

test('[cloud.name] each region has its own signing keys and stores, and copies only buckets, to the account named by an option', () => {
  for (const [type, properties] of resources(frankfurt)) {
    expect(type).not.toBe('AWS::KMS::ReplicaKey');
    expect(type).not.toBe('AWS::DynamoDB::GlobalTable');
    for (const { Destination } of properties.ReplicationConfiguration?.Rules ?? [])
      expect(Destination.Account).toBe(copies.copyAccount);
    expect(properties.ReplicaRegions).toBeUndefined();
    if (type === 'AWS::KMS::Key') expect(properties.MultiRegion ?? false).toBe(false);
  }
});

test('[cloud.name] stacks read only the outputs of their own deployment', () => {
  const read = [...JSON.stringify(frankfurt.map(({ template }) => template)).matchAll(/"StackName":"([^"]+)"/g)];
  expect(read.length).toBeGreaterThan(10);
  for (const [, name] of read) expect(frankfurt.map(({ stackName }) => stackName)).toContain(name);
});

describe('[cloud.name] an option that names a resource in another region is rejected at synthesis', () => {
  const elsewhere = 'arn:aws:acm:eu-west-1:123456789012:certificate/other';
  const key = 'arn:aws:kms:eu-west-1:123456789012:key/0a1b';
  const cases = [
    ['certificate', { ...everything('eu-central-1'), certificate: elsewhere }],
    ['formerSigningKeys', { formerSigningKeys: key }],
    ['formerLogKeys', { formerLogKeys: key }],
    ['formerVoteKeys', { formerVoteKeys: key }],
    ['sqlClusters', { sqlClusters: 'arn:aws:rds:eu-west-1:123456789012:cluster:orders' }],
  ] as const;
  const apps = cases.map(([name, context]) => [name, emptyApp(context)] as const);
  const withoutRegion = emptyApp({ formerSigningKeys: key });
  const secret = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:partner-AbCdEf';
  const withSecret = emptyApp({ brokerSecrets: secret, brokerRoles: 'arn:aws:iam::333333333333:role/orders' });

  test.each(apps)('%s', (name, app) => {
    expect(() => buildGateway(app, { account: '111111111111', region: 'eu-central-1' })).toThrow(
      `Context "${name}" must contain ARNs of eu-central-1, the region of this deployment, got "arn:aws:`,
    );
  });

  test('roles and secrets may be in other regions, and nothing is rejected if the region is unknown', () => {
    expect(() => buildGateway(withSecret, { account: '111111111111', region: 'eu-central-1' })).not.toThrow();
    expect(() => buildGateway(withoutRegion)).not.toThrow();
  });
});
