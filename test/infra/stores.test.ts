/**
 * The stores compared with `core/contracts/tables.ts`: every table as declared, and protection against accidental loss.
 */
import type { TableSpec } from '#core/contracts/tables.ts';
import { tables } from '#features/tables.ts';
import type { Loose } from '../support/loose.ts';
import { copies as names } from './contexts.ts';
import { functionId, ofType, type Resource, reference, roleOf, synthesize } from './synthesized.ts';

const { stores } = synthesize();
const deployed = ofType(stores, 'AWS::DynamoDB::Table');
const table = (name: string): Resource => {
  const found = Object.values(deployed).find(({ Properties }) => Properties.TableName === `agent-governance-${name}`);
  if (!found) throw new Error(`no table ${name}`);
  return found;
};
const keySchema = ({ partitionKey, sortKey }: { partitionKey: string; sortKey?: string }) => [
  { AttributeName: partitionKey, KeyType: 'HASH' },
  ...(sortKey ? [{ AttributeName: sortKey, KeyType: 'RANGE' }] : []),
];

describe.each(Object.entries(tables) as [string, TableSpec][])('[cloud.templates] table %s', (name, spec) => {
  const { Properties, DeletionPolicy, UpdateReplacePolicy } = table(name);

  it('has the keys, indexes, TTL and stream specified in the contract', () => {
    const indexes = spec.indexes?.map((index) => ({
      IndexName: index.name,
      KeySchema: keySchema(index),
      Projection: { ProjectionType: index.projection },
    }));
    expect(Properties.KeySchema).toEqual(keySchema(spec));
    expect(Properties.GlobalSecondaryIndexes).toEqual(indexes);
    expect(Properties.TimeToLiveSpecification).toEqual(spec.ttl && { AttributeName: spec.ttl, Enabled: true });
    expect(Properties.StreamSpecification).toEqual(spec.stream && { StreamViewType: spec.stream });
    const types: string[] = Properties.AttributeDefinitions.map(
      ({ AttributeType }: { AttributeType: string }) => AttributeType,
    );
    expect(new Set(types)).toEqual(new Set(['S']));
  });

  it('is billed on demand, recoverable, encrypted, and retained when the stack is deleted', () => {
    expect(Properties).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      SSESpecification: { SSEEnabled: true },
      DeletionProtectionEnabled: true,
    });
    expect([DeletionPolicy, UpdateReplacePolicy]).toEqual(['RetainExceptOnCreate', 'Retain']);
  });
});

it('deploys no tables that are not in the contract', () => {
  expect(Object.keys(deployed)).toHaveLength(Object.keys(tables).length);
});

describe('[evidence.archive] the archive', () => {
  const policy = Object.values(ofType(stores, 'AWS::S3::BucketPolicy'))
    .flatMap(({ Properties }) => Properties.PolicyDocument.Statement as Record<string, unknown>[])
    .filter(({ Sid }) => Sid !== undefined);
  const rule = (sid: string) => policy.find(({ Sid }) => Sid === sid);

  it('locks objects for a year, for every caller', () => {
    stores.hasResourceProperties('AWS::S3::Bucket', {
      ObjectLockEnabled: true,
      ObjectLockConfiguration: { Rule: { DefaultRetention: { Mode: 'COMPLIANCE', Days: 365 } } },
      VersioningConfiguration: { Status: 'Enabled' },
    });
  });

  it('accepts writes only from the projector and the repair', () => {
    const { Condition, ...statement } = rule('OnlyArchivingFunctionsWrite') as {
      Condition: { ArnNotLike: Record<string, unknown[]> };
    };
    expect(Condition.ArnNotLike['aws:PrincipalArn']!.map(reference)).toEqual([
      'arn:{Partition}:iam::{AccountId}:role/agent-governance-archive-{Region}',
      'arn:{Partition}:sts::{AccountId}:assumed-role/agent-governance-archive-{Region}/*',
      'arn:{Partition}:iam::{AccountId}:role/agent-governance-project-{Region}',
      'arn:{Partition}:sts::{AccountId}:assumed-role/agent-governance-project-{Region}/*',
    ]);
    expect(statement).toMatchObject({ Effect: 'Deny', Principal: { AWS: '*' }, Action: 's3:PutObject' });
  });

  it('lets no principal overwrite or delete objects', () => {
    const everybody = { Effect: 'Deny', Principal: { AWS: '*' } };
    expect(rule('NobodyOverwrites')).toMatchObject({
      ...everybody,
      Action: 's3:PutObject',
      Condition: { Null: { 's3:if-none-match': 'true' } },
    });
    expect(rule('NobodyDeletes')).toMatchObject({
      ...everybody,
      Action: ['s3:BypassGovernanceRetention', 's3:DeleteObject', 's3:DeleteObjectVersion'],
    });
    expect(rule('NobodyDeletes')).not.toHaveProperty('Condition');
  });
});

it('keeps both buckets private and encrypted, and rejects plain HTTP', () => {
  const buckets = Object.values(ofType(stores, 'AWS::S3::Bucket'));
  expect(buckets).toHaveLength(2);
  for (const { Properties, DeletionPolicy } of buckets) {
    expect(Object.values(Properties.PublicAccessBlockConfiguration)).toEqual([true, true, true, true]);
    expect(Properties.BucketEncryption).toBeDefined();
    expect(DeletionPolicy).toBe('RetainExceptOnCreate');
  }
  const statements = Object.values(ofType(stores, 'AWS::S3::BucketPolicy')).map(({ Properties }) =>
    JSON.stringify(Properties),
  );
  expect(statements.filter((text) => text.includes('"aws:SecureTransport":"false"'))).toHaveLength(2);
});

it('[cloud.retained] removes incomplete uploads in both buckets and deleted bodies after 90 days, and moves old evidence to cold storage', () => {
  const rules = Object.fromEntries(
    Object.entries(ofType(stores, 'AWS::S3::Bucket')).map(([id, { Properties }]) => [
      id.replace(/Bucket.*/, ''),
      Properties.LifecycleConfiguration.Rules,
    ]),
  );
  const broken = { Status: 'Enabled', AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 } };
  expect(rules).toEqual({
    Archive: [{ ...broken, Transitions: [{ StorageClass: 'GLACIER_IR', TransitionInDays: 90 }] }],
    Objects: [{ ...broken, NoncurrentVersionExpiration: { NoncurrentDays: 90 } }],
  });
});

it('signs with its own P-256 key', () => {
  stores.hasResourceProperties('AWS::KMS::Key', { KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY' });
});

const restoring = synthesize({ restoring: 'arn:aws:iam::123456789012:role/restorer' });

it('[evidence.archive] lets the role that copies another archive write to this one during a restore, while no schedules run', () => {
  const found = JSON.stringify(restoring.stores.toJSON()).match(/"OnlyArchivingFunctionsWrite"|role\/restorer/g);
  expect(found).toHaveLength(2);
  const states = Object.values(ofType(restoring.services, 'AWS::Events::Rule')).map(
    ({ Properties }) => Properties.State,
  );
  expect(new Set(states)).toEqual(new Set(['DISABLED']));
});

const without = synthesize({ transparencyLog: 'off' });

it('[transparency.log] signs the log with its own Ed25519 key, and has no log if the deployment disables it', () => {
  stores.hasResourceProperties('AWS::KMS::Key', { KeySpec: 'ECC_NIST_EDWARDS25519', KeyUsage: 'SIGN_VERIFY' });
  expect(JSON.stringify(without.stores.toJSON())).not.toContain('EDWARDS25519');
  expect(JSON.stringify(without.services.toJSON())).not.toContain('LOG_KEY_ID');
});

describe('[cloud.key-generations] a new generation of a key', () => {
  const formerKey = 'arn:aws:kms:eu-central-1:123456789012:key/elsewhere';
  const rotated = synthesize({
    signingKeyGeneration: 3,
    voteKeyGeneration: 2,
    logKeyGeneration: 2,
    formerSigningKeys: formerKey,
    formerLogKeys: formerKey,
    formerVoteKeys: formerKey,
  });
  const ended = synthesize({ logKeyGeneration: 2, logKeyOverlap: 'off' });
  const keyIds = (template: typeof stores) => Object.keys(ofType(template, 'AWS::KMS::Key'));
  const arn = (output: string) => `arn:{Partition}:kms:{Region}:{AccountId}:key/{agent-governance-stores:${output}}`;
  const variables = (name: string, template = rotated.services) =>
    ofType(template, 'AWS::Lambda::Function')[functionId(template, name)]!.Properties.Environment.Variables as Loose;
  const grants = (name: string) =>
    (roleOf(rotated.services, name).Properties.Policies[0].PolicyDocument.Statement as Loose[]).flatMap(
      ({ Action, Resource }) =>
        [Action].flat().flatMap((action) => [Resource].flat().map((each) => `${action} ${reference(each)}`)),
    );

  it('a new key is added alongside earlier ones, which keep their ids and outputs', () => {
    expect(keyIds(rotated.stores)).toEqual(expect.arrayContaining(keyIds(stores)));
    expect(keyIds(rotated.stores)).toHaveLength(keyIds(stores).length + 4);
    const outputs = (template: typeof stores) => template.toJSON().Outputs as Record<string, { Value: unknown }>;
    for (const [name, output] of Object.entries(outputs(stores))) expect(outputs(rotated.stores)[name]).toEqual(output);
    const aliases = Object.values(ofType(rotated.stores, 'AWS::KMS::Alias')).map(
      ({ Properties }) => Properties.AliasName,
    );
    expect(aliases.map((alias) => alias.replace('alias/agent-governance-', '')).sort()).toEqual(
      ['evidence', 'evidence-2', 'evidence-3', 'log', 'log-2', 'votes', 'votes-2'].sort(),
    );
  });

  it('the new key signs, and earlier ones only verify: functions list the keys in generation order', () => {
    const found = variables('evidence');
    expect(reference(found.SIGNING_KEY_ID)).toBe('{agent-governance-stores:SigningKeyId3}');
    const own = [arn('SigningKeyId'), arn('SigningKeyId2')];
    expect(reference(found.SIGNING_KEY_FORMER_IDS)).toBe([formerKey, ...own].join());
    expect(reference(found.SIGNING_KEY_LINKED_IDS)).toBe(own.join());
    expect(variables('test-action')).not.toHaveProperty('SIGNING_KEY_LINKED_IDS');
    expect(reference(found.VOTE_KEY_FORMER_IDS)).toBe([formerKey, arn('VoteKeyId')].join());
    expect(reference(found.LOG_KEY_FORMER_IDS)).toBe([formerKey, arn('LogKeyId')].join());
    expect(found.LOG_KEY_OVERLAP).toBe('on');
    for (const name of ['SIGNING_KEY_FORMER_IDS', 'VOTE_KEY_FORMER_IDS', 'LOG_KEY_FORMER_IDS', 'LOG_KEY_OVERLAP'])
      expect(variables('evidence', synthesize().services)).not.toHaveProperty(name);
  });

  it("a signing function signs links with the stack's earlier keys, and only reads the public part of a key from another deployment", () => {
    for (const name of ['SigningKeyId', 'SigningKeyId2', 'SigningKeyId3'])
      expect(grants('evidence')).toContain(`kms:Sign ${arn(name)}`);
    expect(grants('evidence')).toContain(`kms:GetPublicKey ${formerKey}`);
    expect(grants('evidence')).not.toContain(`kms:Sign ${formerKey}`);
    for (const former of [formerKey, arn('VoteKeyId')])
      expect(grants('test-action')).toContain(`kms:GetPublicKey ${former}`);
    expect(grants('test-action')).not.toContain(`kms:Sign ${arn('VoteKeyId')}`);
    expect(grants('approvals')).toContain(`kms:Sign ${arn('VoteKeyId2')}`);
    expect(grants('approvals')).not.toContain(`kms:Sign ${arn('VoteKeyId')}`);
  });

  it('[transparency.log] the log is signed with both the new and the previous key until the overlap ends', () => {
    expect(grants('project')).toEqual(
      expect.arrayContaining(['LogKeyId', 'LogKeyId2'].map((name) => `kms:Sign ${arn(name)}`)),
    );
    expect(variables('evidence', ended.services)).not.toHaveProperty('LOG_KEY_OVERLAP');
  });
});

it('[secrets.kept] generates the admin token inside Secrets Manager: no template contains a secret', () => {
  const secrets = Object.values(ofType(stores, 'AWS::SecretsManager::Secret')).map(({ Properties }) => Properties);
  const byName = Object.fromEntries(secrets.map((secret) => [secret.Name, secret]));
  expect(Object.keys(byName).sort()).toEqual(
    ['admin', 'brokers', 'github', 'keys', 'providers', 'slack', 'webhooks'].map((name) => `agent-governance/${name}`),
  );
  expect(byName['agent-governance/admin'].GenerateSecretString).toMatchObject({
    GenerateStringKey: 'GATEWAY_ADMIN_TOKEN',
    PasswordLength: 48,
  });
  for (const { Name, SecretString, GenerateSecretString } of secrets) {
    expect(SecretString).toBeUndefined();
    expect(GenerateSecretString !== undefined).toBe(Name === 'agent-governance/admin');
  }
});

describe('[evidence.archive] copies in another account', () => {
  const copied = synthesize(names);
  const buckets = Object.values(ofType(copied.stores, 'AWS::S3::Bucket')).map(({ Properties }) => Properties);
  const roles = Object.entries(ofType(copied.stores, 'AWS::IAM::Role')).filter(([, { Properties }]) =>
    JSON.stringify(Properties.AssumeRolePolicyDocument).includes('"s3.amazonaws.com"'),
  );

  it('copies are off by default', () => {
    expect(JSON.stringify(stores.toJSON())).not.toContain('ReplicationConfiguration');
  });

  it("copies contain every object, written by each bucket's own role, but no deletions", () => {
    for (const name of ['archive', 'objects'])
      expect(buckets).toContainEqual(
        expect.objectContaining({
          VersioningConfiguration: { Status: 'Enabled' },
          ReplicationConfiguration: {
            Role: { 'Fn::GetAtt': [expect.stringMatching(new RegExp(`^${name}`, 'i')), 'Arn'] },
            Rules: [
              expect.objectContaining({
                Status: 'Enabled',
                Filter: { Prefix: '' },
                DeleteMarkerReplication: { Status: 'Disabled' },
                Destination: expect.objectContaining({ Account: names.copyAccount }),
              }),
            ],
          },
        }),
      );
    expect(roles.map(([, { Properties }]) => reference(Properties.RoleName)).sort()).toEqual([
      'agent-governance-archive-copy-{Region}',
      'agent-governance-objects-copy-{Region}',
    ]);
  });

  it('copies are written only to the named account, by a role that cannot delete or change objects in this account', () => {
    const policies = Object.values(ofType(copied.stores, 'AWS::IAM::Policy')).filter(({ Properties }) =>
      roles.some(([id]) => Properties.Roles[0].Ref === id),
    );
    const statements = policies.flatMap(({ Properties }) => Properties.PolicyDocument.Statement as Loose[]);
    const writing = statements.filter(({ Action }) => JSON.stringify(Action).includes('Replicate'));
    expect(writing).toHaveLength(2);
    for (const { Condition } of writing)
      expect(Condition).toEqual({ StringEquals: { 's3:ResourceAccount': names.copyAccount } });
    const actions = new Set(statements.flatMap(({ Action }) => [Action].flat() as string[]));
    expect([...actions].sort()).toEqual(
      [
        ...['GetObjectLegalHold', 'GetObjectRetention', 'GetObjectVersionAcl', 'GetObjectVersionForReplication'],
        ...['GetObjectVersionTagging', 'GetReplicationConfiguration', 'ListBucket', 'ReplicateObject', 'ReplicateTags'],
      ].map((action) => `s3:${action}`),
    );
  });

  it('each copy has an alarm for objects that were not copied', () => {
    const found = [
      ...JSON.stringify(copied.watch.toJSON()).matchAll(/OperationsFailedReplication.*?DestinationBucket = '([^']+)'/g),
    ];
    expect(found.map(([, name]) => name).sort()).toEqual([names.archiveCopy, names.objectsCopy]);
  });

  it.each([
    { copyAccount: '210987654321' },
    { ...names, objectsCopy: names.archiveCopy },
    { ...names, copyAccount: '210987654321,210987654322' },
  ])('copies are rejected unless the account and two buckets are named: %j', (context) => {
    expect(() => synthesize(context)).toThrow('needs "archiveCopy" and "objectsCopy", the names of two buckets there');
  });
});
