/**
 * Turns a row in `core/contracts/functions.ts` into IAM statements. This is the only place that defines the permissions
 * of an access word.
 */
import { ArnFormat, Aws, Stack } from 'aws-cdk-lib';
import { Effect, PolicyStatement, type PolicyStatementProps } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { FunctionSpec, Rights } from '#core/contracts/function-spec.ts';
import type { FunctionName } from '#core/contracts/functions.ts';
import { objectFolders } from '#core/contracts/object-folders.ts';
import type { TableName } from '#core/contracts/tables.ts';
import { tables } from '#features/tables.ts';
import { secretArnPattern } from './secrets.ts';
import {
  deadLetterName,
  functionName,
  type GatewaySettings,
  liveAlias,
  rolloutMachineName,
  stateMachineName,
} from './settings.ts';
import type { Stores } from './stores.ts';
import { type ApiIds, apiStageName } from './surface-api.ts';

type Access = NonNullable<FunctionSpec['tables'][TableName]>;

const get = ['dynamodb:GetItem', 'dynamodb:BatchGetItem'];
const put = ['dynamodb:PutItem'];

const logActions = { appends: ['kms:Sign', 'kms:GetPublicKey'], reads: ['kms:GetPublicKey'] } as const;
const voteActions = { signs: 'kms:Sign', verifies: 'kms:GetPublicKey' } as const;

/** Actions that an access word permits on a table's rows. */
const tableActions: Readonly<Record<Access, readonly string[]>> = {
  get,
  put,
  append: [...get, ...put],
  write: [...get, ...put, 'dynamodb:UpdateItem'],
};

/** Tables written in batches. Batch permission includes deletion, so it is limited to tables that can be rebuilt. */
const batches: readonly TableName[] = ['observations'];

/** Returns every statement of a function's role, except the one for its own log group. */
export function accessOf(
  scope: Construct,
  spec: Rights,
  stores: Stores,
  settings: GatewaySettings,
  apis: ApiIds,
): PolicyStatement[] {
  if (spec.sandboxed) return [];
  const machine = stateMachineArn(scope, stateMachineName(settings));
  return [
    ...Object.entries(spec.tables).flatMap(([table, access]) =>
      tableAccess(stores, table as TableName, access, spec.putsOnly?.[table as TableName]),
    ),
    ...(spec.streamsOf ? streamAccess(scope, stores, spec.streamsOf, settings) : []),
    ...queryAccess(stores, spec.queries ?? []),
    ...objectAccess(stores, spec),
    ...(spec.archives ? [allow(['s3:PutObject'], [stores.archive.arnForObjects('*')])] : []),
    ...(spec.expires ? [allow(['dynamodb:DeleteItem'], [stores.tables.evidence.tableArn])] : []),
    ...(spec.readsArchive ? archiveReading(stores) : []),
    ...signingAccess(spec, stores, settings),
    ...(spec.log && stores.logKey ? logKeyAccess(spec.log, stores.logKey, settings) : []),
    ...(spec.votes ? [allow([voteActions[spec.votes]], [stores.voteKey.keyArn])] : []),
    ...(spec.votes === 'verifies'
      ? statementsFor([voteActions.verifies], [...settings.formerVoteKeys, ...stores.voteKey.formerArns])
      : []),
    ...(spec.secrets ?? []).map((name) =>
      allow(['secretsmanager:GetSecretValue'], [secretArnPattern(scope, settings, name)]),
    ),
    ...(spec.startsApprovals ? [allow(['states:StartExecution'], [machine])] : []),
    ...(spec.startsRollouts
      ? [allow(['states:StartExecution'], [stateMachineArn(scope, rolloutMachineName(settings))])]
      : []),
    // The emulator authorises task responses against `*` instead of the machine.
    ...(spec.settlesTasks ? [allow(['states:SendTaskSuccess'], [settings.emulator ? '*' : machine])] : []),
    ...(spec.invokesModels ? [modelAccess(settings)] : []),
    ...(spec.handsOverTo
      ? [allow(['lambda:InvokeFunction'], [`${functionArn(scope, settings, spec.handsOverTo)}:${liveAlias}`])]
      : []),
    ...(spec.postsToConnections ? [connectionAccess(apis.webSocket)] : []),
    ...(spec.assumesBrokerRoles ? brokerAccess(settings) : []),
    ...(spec.queriesClusters ? clusterAccess(settings) : []),
    ...(spec.runsCommands
      ? [allow(['lambda:InvokeFunction'], [`${functionArn(scope, settings, 'sandbox')}:${liveAlias}`])]
      : []),
    // CloudWatch's OTLP endpoint also requires these.
    allow(['xray:PutTraceSegments', 'xray:PutTelemetryRecords', 'xray:PutSpans', 'xray:PutSpansForIndexing'], ['*']),
  ];
}

/**
 * Returns the ARN built from a literal name, because the state machine invokes a function whose role and environment
 * would otherwise depend on the state machine.
 */
export const stateMachineArn = (scope: Construct, name: string): string =>
  Stack.of(scope).formatArn({
    service: 'states',
    resource: 'stateMachine',
    resourceName: name,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });

/** Returns the ARN built from the name, because both functions are created together. */
const functionArn = (scope: Construct, settings: GatewaySettings, name: string): string =>
  Stack.of(scope).formatArn({
    service: 'lambda',
    resource: 'function',
    resourceName: functionName(settings, name as FunctionName),
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });

export const allow = (actions: readonly string[], resources: readonly string[]): PolicyStatement =>
  new PolicyStatement({ actions: [...actions], resources: [...resources] });

/** @param keys pattern of the partition keys; if absent, any row may be put */
function tableAccess(stores: Stores, name: TableName, access: Access, keys?: string): PolicyStatement[] {
  const further = [...(access === 'write' && batches.includes(name) ? ['dynamodb:BatchWriteItem'] : [])];
  const statement = allow([...tableActions[access], ...further], [stores.tables[name].tableArn]);
  if (keys !== undefined) statement.addCondition('ForAllValues:StringLike', { 'dynamodb:LeadingKeys': [keys] });
  return [statement];
}

/** @throws Error for an index that the table does not have. */
function queryAccess(stores: Stores, queries: NonNullable<FunctionSpec['queries']>): PolicyStatement[] {
  const resources = queries.map((query) => {
    const [table = '', index] = query.split('.');
    const { tableArn } = stores.tables[table as TableName];
    const { indexes = [] } = tables[table as TableName];
    if (index === undefined) return tableArn;
    if (indexes.some(({ name }) => name === index)) return `${tableArn}/index/${index}`;
    throw new Error(`The table ${table} has no index ${index}; it has ${indexes.map(({ name }) => name).join(', ')}.`);
  });
  return resources.length > 0 ? [allow(['dynamodb:Query'], resources)] : [];
}

/**
 * Allows reading streams; listing them does not require a resource. Batches that exhaust their retries are sent to the
 * dead letter queue.
 */
const streamAccess = (
  scope: Construct,
  stores: Stores,
  names: readonly TableName[],
  settings: GatewaySettings,
): PolicyStatement[] => [
  allow(
    ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
    names.map((name) => stores.tables[name].tableStreamArn!),
  ),
  allow(['dynamodb:ListStreams'], ['*']),
  allow(['sqs:SendMessage'], [Stack.of(scope).formatArn({ service: 'sqs', resource: deadLetterName(settings) })]),
];

/**
 * Allows access to bodies by folder: configurations and modules are separate from results, which most functions do not
 * need. With permission to list, S3 returns 404 for an absent body instead of 403.
 */
function objectAccess({ objects }: Stores, spec: Rights): PolicyStatement[] {
  const bodies = (access: 'read' | 'write' | undefined, folder: string) =>
    access === undefined
      ? []
      : [
          allow(
            ['s3:GetObject', ...(access === 'write' ? ['s3:PutObject'] : [])],
            [objects.arnForObjects(`${folder}/*`)],
          ),
        ];
  const allowed = [
    ...bodies(spec.objects, objectFolders.configurations),
    ...bodies(spec.results, objectFolders.results),
    ...bodies(spec.definitions, objectFolders.definitions),
  ];
  return allowed.length > 0 ? [...allowed, allow(['s3:ListBucket'], [objects.bucketArn])] : [];
}

/**
 * Allows model calls. The configuration determines which models are called, in any region, because an inference profile
 * spreads calls over several regions. Converse is authorised as InvokeModel, and its stream as
 * InvokeModelWithResponseStream.
 */
const modelAccess = ({ emulator }: GatewaySettings): PolicyStatement =>
  allow(
    [
      'bedrock:InvokeModel',
      'bedrock:InvokeModelWithResponseStream',
      'bedrock:ApplyGuardrail',
      // The emulator requires actions with these names, which do not exist in AWS.
      ...(emulator ? ['bedrock:Converse', 'bedrock:ConverseStream'] : []),
    ],
    [
      `arn:${Aws.PARTITION}:bedrock:*::foundation-model/*`,
      // AWS's prompt routers are in the calling account, as are the account's own.
      ...bedrockResources.map((kind) => `arn:${Aws.PARTITION}:bedrock:*:${Aws.ACCOUNT_ID}:${kind}/*`),
    ],
  );

/**
 * Resources other than foundation models that a Converse call from this account may name, and guardrails it may apply.
 */
export const bedrockResources = [
  'inference-profile',
  'application-inference-profile',
  'provisioned-model',
  'custom-model',
  'custom-model-deployment',
  'imported-model',
  'default-prompt-router',
  'prompt-router',
  'guardrail',
] as const;

/**
 * Allows reading the archive. Permission to list makes it possible to distinguish a missing copy from an unreadable
 * one.
 */
const archiveReading = ({ archive }: Stores): PolicyStatement[] => [
  allow(['s3:ListBucket'], [archive.bucketArn]),
  allow(['s3:GetObject'], [archive.arnForObjects('*')]),
];

/**
 * Allows brokers to assume their roles, tag their sessions and set a source identity. The roles' trust policies must
 * allow all three actions.
 */
const brokerAccess = ({ brokerRoles, brokerSecrets }: GatewaySettings): PolicyStatement[] => [
  ...statementsFor(['sts:AssumeRole', 'sts:TagSession', 'sts:SetSourceIdentity'], brokerRoles),
  ...statementsFor(['secretsmanager:GetSecretValue'], brokerSecrets),
];

const clusterAccess = ({ sqlClusters }: GatewaySettings): PolicyStatement[] =>
  statementsFor(
    ['BeginTransaction', 'ExecuteStatement', 'CommitTransaction', 'RollbackTransaction'].map(
      (action) => `rds-data:${action}`,
    ),
    sqlClusters,
  );

/**
 * Allows use of the evidence keys. A function that signs also uses the stack's earlier keys to sign that the next key
 * follows, so that a verifier that trusts one key can verify signatures made with another [evidence.keys.rotate].
 */
function signingAccess(
  spec: Rights,
  { signingKey: { keyArn, formerArns } }: Stores,
  { formerSigningKeys }: GatewaySettings,
): PolicyStatement[] {
  if (spec.signs)
    return [
      allow(['kms:Sign', 'kms:GetPublicKey'], [keyArn, ...formerArns]),
      ...statementsFor(['kms:GetPublicKey'], formerSigningKeys),
    ];
  return spec.verifiesSignatures ? [allow(['kms:GetPublicKey'], [keyArn, ...formerArns, ...formerSigningKeys])] : [];
}

/**
 * Allows use of the deployment's log keys, if any. Earlier keys are only read, except that the last of them also signs
 * during an overlap.
 */
function logKeyAccess(
  right: keyof typeof logActions,
  { keyArn, formerArns }: NonNullable<Stores['logKey']>,
  { formerLogKeys, logKeyOverlap }: GatewaySettings,
): PolicyStatement[] {
  const former = [...formerLogKeys, ...formerArns];
  const signing = logKeyOverlap ? former.slice(-1) : [];
  return [
    allow(logActions[right], [keyArn, ...(right === 'appends' ? signing : [])]),
    ...statementsFor(['kms:GetPublicKey'], former),
  ];
}

const statementsFor = (actions: readonly string[], arns: readonly string[]): PolicyStatement[] =>
  arns.length > 0 ? [allow(actions, arns)] : [];

/**
 * Allows Lambda to create and remove network interfaces for a function in a VPC, using the function's role. The second
 * statement denies the code that runs there these actions and everything else except logging.
 */
export function interfaceAccess(scope: Construct, settings: GatewaySettings, name: FunctionName): PolicyStatement[] {
  return [allow(interfaceActions, ['*']), deniedToCode(scope, settings, name, { notActions: ['logs:*'] })];
}

/** Allows the same for a function in the deployment's VPC, whose code keeps its other permissions [cloud.firewall]. */
export const attachedAccess = (
  scope: Construct,
  settings: GatewaySettings,
  name: FunctionName,
): readonly PolicyStatement[] => [
  allow(interfaceActions, ['*']),
  deniedToCode(scope, settings, name, { actions: ['ec2:*'] }),
];

const interfaceActions = [
  'CreateNetworkInterface',
  'DescribeNetworkInterfaces',
  'DeleteNetworkInterface',
  'DescribeSubnets',
  'AssignPrivateIpAddresses',
  'UnassignPrivateIpAddresses',
].map((action) => `ec2:${action}`);

const deniedToCode = (
  scope: Construct,
  settings: GatewaySettings,
  name: FunctionName,
  what: Pick<PolicyStatementProps, 'actions' | 'notActions'>,
): PolicyStatement =>
  new PolicyStatement({
    effect: Effect.DENY,
    ...what,
    resources: ['*'],
    // With and without the invoked version.
    conditions: {
      ArnEquals: {
        'lambda:SourceFunctionArn': ['', ':*'].map((rest) => `${functionArn(scope, settings, name)}${rest}`),
      },
    },
  });

/** Allows posting to connections and closing them, but not listing them. */
const connectionAccess = (apiId: string): PolicyStatement => {
  const stage = `arn:${Aws.PARTITION}:execute-api:${Aws.REGION}:${Aws.ACCOUNT_ID}:${apiId}/${apiStageName}`;
  return allow(['execute-api:ManageConnections'], [`${stage}/POST/@connections/*`, `${stage}/DELETE/@connections/*`]);
};
