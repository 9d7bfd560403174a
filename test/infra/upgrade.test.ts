/**
 * What a deployment keeps over an upgrade [cloud.upgrade-keeps]: resources with state, against those of the release that is frozen in
 * `test/golden/stateful-resources.json`. CloudFormation replaces a resource whose logical id, type or key properties change, and what it held is
 * gone or left behind.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { synthesize } from './synthesized.ts';

/** Properties whose change replaces the resource (CloudFormation resource reference, "Update requires: Replacement"). */
const replacing: Readonly<Record<string, readonly string[]>> = {
  'AWS::DynamoDB::Table': ['TableName', 'KeySchema', 'LocalSecondaryIndexes'],
  'AWS::DynamoDB::GlobalTable': ['TableName', 'KeySchema', 'LocalSecondaryIndexes'],
  'AWS::S3::Bucket': ['BucketName', 'ObjectLockEnabled'],
  'AWS::KMS::Key': ['KeySpec', 'KeyUsage', 'Origin'],
  'AWS::SecretsManager::Secret': ['Name'],
  'AWS::ApiGateway::RestApi': [],
  'AWS::ApiGatewayV2::Api': ['ProtocolType'],
  'AWS::StepFunctions::StateMachine': ['StateMachineName', 'StateMachineType'],
  'AWS::SQS::Queue': ['QueueName', 'FifoQueue'],
};

interface Frozen {
  readonly type: string;
  readonly replacing: Readonly<Record<string, unknown>>;
  /** Key schema by index: another key makes another index, which DynamoDB fills from the table while readers find nothing. */
  readonly indexes?: Readonly<Record<string, unknown>>;
}
type FrozenStack = Readonly<Record<string, Frozen>>;

const golden = join(__dirname, '../golden/stateful-resources.json');
const { stores, services } = synthesize();

function stateful(template: typeof stores): FrozenStack {
  const resources = template.toJSON().Resources as Record<
    string,
    { Type: string; Properties?: Record<string, unknown> }
  >;
  return Object.fromEntries(
    Object.entries(resources)
      .filter(([, { Type }]) => Object.hasOwn(replacing, Type))
      .map(([id, { Type, Properties = {} }]) => [
        id,
        {
          type: Type,
          replacing: Object.fromEntries(
            replacing[Type]!.filter((name) => Properties[name] !== undefined).map((name) => [name, Properties[name]]),
          ),
          ...(Array.isArray(Properties.GlobalSecondaryIndexes) && {
            indexes: Object.fromEntries(
              Properties.GlobalSecondaryIndexes.map(({ IndexName, KeySchema }) => [IndexName, KeySchema]),
            ),
          }),
        },
      ])
      .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  );
}

const now: Readonly<Record<string, FrozenStack>> = { stores: stateful(stores), services: stateful(services) };
if (process.env.FREEZE === 'write') writeFileSync(golden, `${JSON.stringify(now, null, 2)}\n`);
const frozen = JSON.parse(readFileSync(golden, 'utf8')) as typeof now;

describe.each(Object.keys(frozen))('[cloud.upgrade-keeps] the stack of the %s', (stack) => {
  it('has resources with state', () => {
    expect(Object.keys(frozen[stack]!).length).toBeGreaterThan(3);
  });

  it.each(Object.entries(frozen[stack]!))('keeps %s as it is', (id, { indexes, ...resource }) => {
    const { indexes: indexesNow, ...resourceNow } = now[stack]![id]!;
    expect(resourceNow).toEqual(resource);
    // A new index is allowed.
    expect(indexesNow ?? {}).toMatchObject(indexes ?? {});
  });
});
