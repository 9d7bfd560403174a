/** Changes that CloudFormation and DynamoDB refuse when stacks of one release are updated to the next. */
import type { Loose } from '../support/loose.ts';

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

interface Stateful {
  readonly type: string;
  readonly replacing: Readonly<Record<string, unknown>>;
  /** Key schema by index: changing the key creates a new index, which is empty until DynamoDB has filled it. */
  readonly indexes?: Readonly<Record<string, unknown>>;
}

/** Stacks of a release, keyed by part name. */
export interface Release {
  /** Stateful resources by stack and logical id. */
  readonly stateful: Readonly<Record<string, Readonly<Record<string, Stateful>>>>;
  /** Names of exports, and of the exports that a stack imports. */
  readonly exports: readonly string[];
  readonly imports: readonly string[];
}

export function releaseOf(templates: Readonly<Record<string, Loose>>): Release {
  const stateful = Object.entries(templates).map(([stack, { Resources }]) => [stack, statefulOf(Resources)] as const);
  const text = JSON.stringify(templates);
  return {
    stateful: Object.fromEntries(stateful.filter(([, found]) => Object.keys(found).length > 0)),
    exports: distinct([...text.matchAll(/"Export":\{"Name":"([^"]+)"/g)].map(([, name]) => name!)),
    imports: distinct([...text.matchAll(/"Fn::ImportValue":"([^"]+)"/g)].map(([, name]) => name!)),
  };
}

const distinct = (names: readonly string[]): readonly string[] => [...new Set(names)].sort();

const statefulOf = (resources: Readonly<Record<string, Loose>>): Readonly<Record<string, Stateful>> =>
  Object.fromEntries(
    Object.entries(resources)
      .filter(([, { Type }]) => Object.hasOwn(replacing, Type))
      .map(([id, { Type, Properties = {} }]) => [
        id,
        {
          type: Type,
          replacing: Object.fromEntries(
            replacing[Type]!.filter((name) => Properties[name] !== undefined).map((name) => [name, Properties[name]]),
          ),
          ...(Properties.GlobalSecondaryIndexes && {
            indexes: Object.fromEntries(
              Properties.GlobalSecondaryIndexes.map(({ IndexName, KeySchema }: Loose) => [IndexName, KeySchema]),
            ),
          }),
        },
      ]),
  );

/** Returns the reasons why the update would fail or lose state; empty if it may be released. */
export const refusals = (before: Release, after: Release): readonly string[] => [
  ...before.imports
    .filter((name) => !after.exports.includes(name))
    .map((name) => `The export ${name} is in use by a stack of the release before. Keep it for one release more.`),
  ...Object.entries(before.stateful).flatMap(([stack, resources]) =>
    Object.entries(resources).flatMap(([id, resource]) =>
      lost(`${stack}/${id}`, resource, after.stateful[stack]?.[id]),
    ),
  ),
];

function lost(name: string, before: Stateful, after: Stateful | undefined): readonly string[] {
  if (after === undefined) return [`${name} (${before.type}) is removed: its state is lost, or stays behind.`];
  const changed = ([...new Set([...Object.keys(before.replacing), ...Object.keys(after.replacing)])] as const).filter(
    (property) => !same(before.replacing[property], after.replacing[property]),
  );
  if (before.type !== after.type || changed.length > 0)
    return [`${name} is replaced: ${[before.type, ...changed].join(', ')} changed.`];
  const [former = {}, indexes = {}] = [before.indexes, after.indexes];
  const moved = [...new Set([...Object.keys(former), ...Object.keys(indexes)])].filter(
    (index) => !same(former[index], indexes[index]),
  );
  const reused = moved.filter((index) => former[index] && indexes[index]);
  if (reused.length > 0) return [`${name} gives the index ${reused.join()} another key: name a new index instead.`];
  return moved.length > 1
    ? [`${name} changes the indexes ${moved.join(', ')}: DynamoDB takes one change of a table per update.`]
    : [];
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
