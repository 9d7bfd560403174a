/** The stores against `core/contracts/tables.ts`: every table as declared, and nothing that can be lost by accident. */
import { type TableSpec, tables } from '#core/contracts/tables.ts';
import type { Loose } from '../support/loose.ts';
import { ofType, type Resource, reference, synthesize } from './synthesized.ts';

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

  it('has the keys, indexes, TTL and stream of the contract', () => {
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

  it('is on demand, recoverable, encrypted, and stays when the stack goes', () => {
    expect(Properties).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      SSESpecification: { SSEEnabled: true },
      DeletionProtectionEnabled: true,
    });
    expect([DeletionPolicy, UpdateReplacePolicy]).toEqual(['RetainExceptOnCreate', 'Retain']);
  });
});

it('deploys no table the contract does not know', () => {
  expect(Object.keys(deployed)).toHaveLength(Object.keys(tables).length);
});

describe('[evidence.archive] the archive', () => {
  const policy = Object.values(ofType(stores, 'AWS::S3::BucketPolicy'))
    .flatMap(({ Properties }) => Properties.PolicyDocument.Statement as Record<string, unknown>[])
    .filter(({ Sid }) => Sid !== undefined);
  const rule = (sid: string) => policy.find(({ Sid }) => Sid === sid);

  it('locks what it holds for a year, for every caller', () => {
    stores.hasResourceProperties('AWS::S3::Bucket', {
      ObjectLockEnabled: true,
      ObjectLockConfiguration: { Rule: { DefaultRetention: { Mode: 'COMPLIANCE', Days: 365 } } },
      VersioningConfiguration: { Status: 'Enabled' },
    });
  });

  it('takes puts from the projector and the repair alone', () => {
    const { Condition, ...statement } = rule('OnlyArchivingFunctionsWrite') as {
      Condition: { ArnNotLike: Record<string, unknown[]> };
    };
    expect(Condition.ArnNotLike['aws:PrincipalArn']!.map(reference)).toEqual([
      'arn:{Partition}:iam::{AccountId}:role/agent-governance-archive-{Region}',
      'arn:{Partition}:sts::{AccountId}:assumed-role/agent-governance-archive-{Region}/*',
      'arn:{Partition}:iam::{AccountId}:role/agent-governance-project-{Region}',
      'arn:{Partition}:sts::{AccountId}:assumed-role/agent-governance-project-{Region}/*',
    ]);
    expect(statement).toMatchObject({
      Effect: 'Deny',
      Principal: { AWS: '*' },
      Action: 's3:PutObject',
    });
  });

  it('lets no principal overwrite or delete', () => {
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

it('keeps both buckets private, encrypted and deaf to plain HTTP', () => {
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

it('signs with a P-256 key that is for nothing else', () => {
  stores.hasResourceProperties('AWS::KMS::Key', { KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY' });
});

const without = synthesize({ transparencyLog: 'off' });

it('[transparency.aws] signs the log with an Ed25519 key of its own, and keeps no log where the deployment says off', () => {
  stores.hasResourceProperties('AWS::KMS::Key', { KeySpec: 'ECC_NIST_EDWARDS25519', KeyUsage: 'SIGN_VERIFY' });
  expect(JSON.stringify(without.stores.toJSON())).not.toContain('EDWARDS25519');
  expect(JSON.stringify(without.services.toJSON())).not.toContain('LOG_KEY_ID');
});

const formerKey = 'arn:aws:kms:eu-central-1:123456789012:key/first';
const rotated = synthesize({ logKeyGeneration: 2, formerLogKeys: formerKey });

it('[transparency.key-rotation] makes a second key of the log beside the first, and both sign during the overlap', () => {
  rotated.stores.hasResourceProperties('AWS::KMS::Alias', { AliasName: 'alias/agent-governance-log-2' });
  const statements = (role: Loose) => role.Properties.Policies[0].PolicyDocument.Statement as Loose[];
  const signing = Object.values(ofType(rotated.services, 'AWS::IAM::Role')).filter(
    ({ Properties }) =>
      Properties.Policies?.length > 0 &&
      statements({ Properties }).some(
        ({ Action, Resource }) => [Action].flat().includes('kms:Sign') && [Resource].flat().includes(formerKey),
      ),
  );
  expect(signing).toHaveLength(2);
  const text = JSON.stringify(rotated.services.toJSON());
  expect(text).toContain('"LOG_KEY_OVERLAP":"on"');
  expect(text).toContain(`"LOG_KEY_FORMER_IDS":"${formerKey}"`);
});

it('[cloud.secrets-without-values] draws the admin token inside Secrets Manager: no template holds a secret', () => {
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
