/**
 * Least privilege, read from the template: each function's role has exactly the rights that
 * `core/contracts/functions.ts` grants it.
 */
import type { FunctionSpec } from '#core/contracts/function-spec.ts';
import { functions } from '#features/functions.ts';
import { ofType, reference, roleOf, synthesize } from './synthesized.ts';

const { services } = synthesize();

interface Statement {
  readonly Effect: string;
  /** Absent in a denial with `NotAction`. */
  readonly Action?: string | string[];
  readonly Resource: unknown;
}
/** Lines of `action resource`, one for each pair that a role allows. */
type Grants = string[];

const list = <T>(value: T | T[]): T[] => (Array.isArray(value) ? value : [value]);

/** Values of the stores' outputs. */
const outputs: Readonly<Record<string, string>> = {
  ObjectBucketName: 'objects',
  ArchiveBucketName: 'archive',
  SigningKeyId: 'key:evidence',
  VoteKeyId: 'key:votes',
  LogKeyId: 'key:log',
  EvidenceStreamArn: 'stream:evidence',
  DeliveriesStreamArn: 'stream:deliveries',
  ObservationsStreamArn: 'stream:observations',
};

const readable = (resource: unknown): string =>
  reference(resource)
    .replace(/^arn:\{Partition\}:/, '')
    .replaceAll('{Region}:{AccountId}:', '')
    .replace(/(?:kms:key\/|s3:::)?\{agent-governance-stores:(\w+)\}/, (_, name: string) => outputs[name]!)
    .replace(/^dynamodb:table\/agent-governance-/, 'table:');

function grantsOf(name: string, from = services): Grants {
  const { Properties } = roleOf(from, name);
  const policies = Properties.Policies as { PolicyDocument: { Statement: Statement[] } }[];
  expect(Properties.ManagedPolicyArns).toBeUndefined();
  return policies
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .filter(({ Effect }) => name !== 'sandbox' || Effect === 'Allow')
    .flatMap(({ Effect, Action, Resource }) => {
      expect(Effect).toBe('Allow');
      return list(Action ?? []).flatMap((action) =>
        list(Resource).map((resource) => `${action} ${readable(resource)}`),
      );
    })
    .filter((grant) => !grant.startsWith('logs:') && !grant.startsWith('xray:'))
    .sort();
}

test('chat functions may enqueue deliveries to the evaluator, but not notifications', () => {
  const { Properties } = roleOf(services, 'messages');
  const statements = (
    Properties.Policies as { PolicyDocument: { Statement: (Statement & { Condition?: unknown })[] } }[]
  )
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .filter(({ Resource }) => list(Resource).some((resource) => readable(resource).endsWith('table:deliveries')));
  expect(statements).toMatchObject([
    {
      Action: 'dynamodb:PutItem',
      Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['*#evaluation#evaluation'] } },
    },
  ]);
});

const get = ['GetItem', 'BatchGetItem'];
const append = [...get, 'PutItem'];
const words = { get, put: ['PutItem'], append, write: [...append, 'UpdateItem'] };

const models = [
  ...['inference-profile', 'application-inference-profile', 'provisioned-model', 'custom-model'],
  ...['custom-model-deployment', 'imported-model', 'default-prompt-router', 'prompt-router'],
  'guardrail',
];

const [webSocketApi] = Object.keys(ofType(services, 'AWS::ApiGatewayV2::Api')).map((id) => `{${id}}`);

const interfaces = [
  ...['CreateNetworkInterface', 'DescribeNetworkInterfaces', 'DeleteNetworkInterface'],
  ...['DescribeSubnets', 'AssignPrivateIpAddresses', 'UnassignPrivateIpAddresses'],
];

/** Returns the rights implied by the contract's terms, deliberately defined a second time. */
function expected(spec: FunctionSpec): Grants {
  const machine = 'states:stateMachine:agent-governance-approval';
  const grants = Object.entries(spec.tables).flatMap(([table, access]) => {
    const further: Readonly<Record<string, string>> = { observations: 'BatchWriteItem' };
    const actions = [...words[access], ...(access === 'write' && further[table] ? [further[table]] : [])];
    return actions.map((action) => `dynamodb:${action} table:${table}`);
  });
  for (const query of spec.queries ?? []) grants.push(`dynamodb:Query table:${query.replace('.', '/index/')}`);
  if (spec.startsApprovals) grants.push(`states:StartExecution ${machine}`);
  if (spec.startsRollouts) grants.push('states:StartExecution states:stateMachine:agent-governance-rollout');
  if (spec.settlesTasks) grants.push(`states:SendTaskSuccess ${machine}`);
  if (spec.signs) grants.push('kms:Sign key:evidence', 'kms:GetPublicKey key:evidence');
  if (spec.objects || spec.results || spec.definitions) grants.push('s3:ListBucket objects');
  if (spec.objects) grants.push('s3:GetObject objects/sha256/*');
  if (spec.objects === 'write') grants.push('s3:PutObject objects/sha256/*');
  if (spec.results) grants.push('s3:GetObject objects/results/*');
  if (spec.results === 'write') grants.push('s3:PutObject objects/results/*');
  if (spec.definitions) grants.push('s3:GetObject objects/definitions/*');
  if (spec.definitions === 'write') grants.push('s3:PutObject objects/definitions/*');
  if (spec.expires) grants.push('dynamodb:DeleteItem table:evidence');
  if (spec.verifiesSignatures) grants.push('kms:GetPublicKey key:evidence');
  if (spec.log) grants.push('kms:GetPublicKey key:log', ...(spec.log === 'appends' ? ['kms:Sign key:log'] : []));
  if (spec.votes) grants.push(`kms:${spec.votes === 'signs' ? 'Sign' : 'GetPublicKey'} key:votes`);
  if (spec.archives) grants.push('s3:PutObject archive/*');
  if (spec.readsArchive) grants.push('s3:GetObject archive/*', 's3:ListBucket archive');
  for (const secret of spec.secrets ?? [])
    grants.push(`secretsmanager:GetSecretValue secretsmanager:secret:agent-governance/${secret}-??????`);
  if (spec.invokesModels) {
    for (const action of ['InvokeModel', 'InvokeModelWithResponseStream', 'ApplyGuardrail'])
      grants.push(
        `bedrock:${action} bedrock:*::foundation-model/*`,
        ...models.map((kind) => `bedrock:${action} bedrock:*:{AccountId}:${kind}/*`),
      );
  }
  if (spec.runsCommands) grants.push('lambda:InvokeFunction lambda:function:agent-governance-sandbox:live');
  if (spec.handsOverTo) grants.push(`lambda:InvokeFunction lambda:function:agent-governance-${spec.handsOverTo}:live`);
  if (spec.postsToConnections) {
    for (const method of ['POST', 'DELETE'])
      grants.push(`execute-api:ManageConnections execute-api:${webSocketApi}/gateway/${method}/@connections/*`);
  }
  // Lambda creates the interfaces under the role; another test checks that the code is denied these rights.
  if (spec.sandboxed) grants.push(...interfaces.map((action) => `ec2:${action} *`));
  for (const table of spec.streamsOf ?? [])
    for (const action of ['DescribeStream', 'GetRecords', 'GetShardIterator'])
      grants.push(`dynamodb:${action} stream:${table}`);
  if (spec.streamsOf) {
    grants.push('dynamodb:ListStreams *', 'sqs:SendMessage sqs:agent-governance-dead-letters');
  }
  return grants.sort();
}

it.each(Object.entries(functions) as [string, FunctionSpec][])(
  '[cloud.least-privilege] %s has exactly the rights listed in its row',
  (name, spec) => {
    expect(grantsOf(name)).toEqual(expected(spec));
  },
);

it('gives no function rights to all tables, or rights to scan, delete or rewrite evidence', () => {
  const all = Object.keys(functions).flatMap((name) => grantsOf(name).map((grant) => `${name}: ${grant}`));
  expect(all.filter((grant) => / dynamodb:.* \*$/.test(grant))).toEqual([
    'notify: dynamodb:ListStreams *',
    'project: dynamodb:ListStreams *',
  ]);
  expect(all.filter((grant) => /Scan|dynamodb:\*|DeleteTable/.test(grant))).toEqual([]);
  const expires = 'archive-check: dynamodb:DeleteItem table:evidence';
  expect(all.filter((grant) => /(Update|Delete|BatchWrite)Item table:evidence/.test(grant))).toEqual([expires]);
  expect(all.filter((grant) => grant.includes('DeleteItem'))).toEqual([expires]);
});

it('[cloud.least-privilege] removes rights that no code uses', () => {
  const all = Object.keys(functions).flatMap((name) => grantsOf(name).map((grant) => `${name}: ${grant}`));
  const about = (pattern: RegExp) => all.filter((grant) => pattern.test(grant));
  expect(about(/ConditionCheckItem/)).toEqual([]);
  expect(about(/(Get|BatchGet|Update)Item table:salts|Query table:salts/)).toEqual([]);
  expect(about(/UpdateItem table:(sessions|deliveries)/)).toEqual([]);
  expect(about(/^test-action: .*table:deliveries/)).toEqual([]);
  expect(about(/^(chat-completions|messages|ws-worker): .*table:deliveries/)).toEqual(
    ['chat-completions', 'messages', 'ws-worker'].map((name) => `${name}: dynamodb:PutItem table:deliveries`),
  );
  expect(about(/^(ws|models|count-tokens|observatory|notify|policies): s3:.*results/)).toEqual([]);
  expect(about(/s3:.*definitions/).map((grant) => grant.split(' ').slice(0, 2).join(' '))).toEqual([
    ...['test-action: s3:GetObject', 'test-action: s3:PutObject', 'mcp: s3:GetObject', 'mcp: s3:PutObject'],
    ...['policies: s3:GetObject', 'approval-steps: s3:GetObject', 'approval-steps: s3:PutObject'],
  ]);
  expect(about(/s3:PutObject objects\/sha256/)).toEqual([
    'policies: s3:PutObject objects/sha256/*',
    'federation-poll: s3:PutObject objects/sha256/*',
  ]);
  expect(about(/Query table:approvals$/)).toEqual([]);
});

it("[auth.keys-by-digest] lets no function read the admin token, and only one function read the callers' keys", () => {
  expect(holders('secretsmanager:GetSecretValue secretsmanager:secret:agent-governance/admin')).toEqual([]);
  expect(holders('secretsmanager:GetSecretValue secretsmanager:secret:agent-governance/keys')).toEqual(['policies']);
});

const holders = (action: string) =>
  Object.keys(functions).filter((name) => grantsOf(name).some((grant) => grant.startsWith(action)));

it('allows only these calls: action functions to the sandbox, ws to its worker, chats and classifiers to models, and two functions to connections', () => {
  expect(holders('lambda:')).toEqual(['ws', 'test-action', 'approval-steps']);
  expect(holders('lambda:InvokeFunction lambda:function:agent-governance-sandbox:live')).toEqual([
    'test-action',
    'approval-steps',
  ]);
  expect(holders('bedrock:')).toEqual([
    ...['chat-completions', 'messages', 'ws-worker'],
    ...['test-action', 'mcp', 'approval-steps'],
  ]);
  expect(holders('execute-api:')).toEqual(['ws', 'ws-worker']);
});

it('lets no function assume a role, read a secret or query a cluster that the deployment did not name', () => {
  expect(holders('sts:')).toEqual([]);
  expect(holders('rds-data:')).toEqual([]);
});

describe('resources named by a deployment', () => {
  const role = 'arn:aws:iam::123456789012:role/orders-reader';
  const secret = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:orders/api-AbCdEf';
  const cluster = 'arn:aws:rds:eu-west-1:123456789012:cluster:orders';
  const named = synthesize({
    brokerRoles: `${role},${role}-2`,
    brokerSecrets: secret,
    sqlClusters: [cluster],
  }).services;

  it.each(Object.entries(functions) as [string, FunctionSpec][])(
    '[cloud.least-privilege] %s gets exactly the rights listed in its row',
    (name, spec) => {
      const more = grantsOf(name, named).filter((grant) => !grantsOf(name).includes(grant));
      const assumed = ['AssumeRole', 'SetSourceIdentity', 'TagSession'].flatMap((action) =>
        [role, `${role}-2`].map((arn) => `sts:${action} ${arn}`),
      );
      const run = ['BeginTransaction', 'CommitTransaction', 'ExecuteStatement', 'RollbackTransaction'];
      expect(more.sort()).toEqual(
        [
          ...(spec.assumesBrokerRoles ? [...assumed, `secretsmanager:GetSecretValue ${secret}`] : []),
          ...(spec.queriesClusters ? run.map((action) => `rds-data:${action} ${cluster}`) : []),
        ].sort(),
      );
    },
  );

  it('named resources can be used only by functions that carry out actions', () => {
    const holders = (service: string) =>
      Object.keys(functions).filter((name) => grantsOf(name, named).some((grant) => grant.startsWith(service)));
    expect(holders('sts:')).toEqual(['test-action', 'mcp', 'approval-steps']);
    expect(holders('rds-data:')).toEqual(['test-action', 'approval-steps']);
  });
});

it('[evidence.archive] only the projector and the repair can add to the archive; only they, the check and the verifier can read it, and no role can delete from it', () => {
  const all = Object.keys(functions).flatMap((name) => grantsOf(name).map((grant) => `${name}: ${grant}`));
  expect(all.filter((grant) => / archive(\/|$)/.test(grant))).toEqual([
    ...['evidence: s3:GetObject archive/*', 'evidence: s3:ListBucket archive'],
    ...['archive: s3:GetObject archive/*', 'archive: s3:ListBucket archive'],
    ...['archive: s3:PutObject archive/*', 'archive-check: s3:GetObject archive/*'],
    ...['archive-check: s3:ListBucket archive', 'project: s3:GetObject archive/*'],
    ...['project: s3:ListBucket archive', 'project: s3:PutObject archive/*'],
  ]);
  expect(holders('kms:Sign key:log')).toEqual(['archive', 'project']);
  expect(holders('kms:Sign key:votes')).toEqual(['approvals', 'approval-callback']);
  expect(holders('kms:Sign key:evidence')).toEqual(['evidence', 'archive', 'project', 'federation']);
  expect(all.filter((grant) => /s3:Delete|s3:Bypass|s3:\*/.test(grant))).toEqual([]);
});

it('attaches every policy of a function to its role, and no policy anywhere else', () => {
  const attached = Object.values(ofType(services, 'AWS::IAM::Policy')).flatMap(({ Properties }) =>
    Properties.Roles.map(reference),
  );
  expect(attached).toEqual([expect.stringMatching(/^\{Approvals/)]);
});

it('lets a function write only to its own log group', () => {
  for (const { Properties } of Object.values(ofType(services, 'AWS::IAM::Role'))) {
    if (!Properties.Policies || !Properties.RoleName) continue;
    const statements = Properties.Policies[0].PolicyDocument.Statement as Statement[];
    const logs = statements.filter(({ Action }) => list(Action ?? []).some((action) => action.startsWith('logs:')));
    expect(logs.map(({ Action }) => Action)).toEqual([['logs:CreateLogStream', 'logs:PutLogEvents']]);
    expect(reference(logs[0]?.Resource)).toMatch(/^\{.*Logs.*\.Arn\}$/);
  }
});
