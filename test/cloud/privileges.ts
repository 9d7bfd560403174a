/** Checks least privilege: IAM refuses each request that a deployed role may not make. */
import assert from 'node:assert/strict';
import { ApiGatewayManagementApiClient, PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import {
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { KMSClient, SignCommand } from '@aws-sdk/client-kms';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import type { FunctionName } from '#core/contracts/functions.ts';
import { type Check, check } from '../support/checks.ts';
import { clientConfig } from './caller.ts';
import { brokerRole, brokerSecret, type Outputs } from './deployment.ts';
import type { Emulator } from './emulator.ts';

const TableName = 'agent-governance-evidence';
const Key = { chain: { S: 'default#probe' }, position: { S: '000000000000' } };
const digest = Buffer.alloc(32);

/** Probes that are harmless if allowed: each names a nonexistent item, or a condition that cannot be met. */
const probes = {
  read: (as: Session) => as.db.send(new GetItemCommand({ TableName, Key })),
  scan: (as: Session) => as.db.send(new ScanCommand({ TableName })),
  put: (as: Session) =>
    as.db.send(new PutItemCommand({ TableName, Item: Key, ConditionExpression: 'attribute_exists(chain)' })),
  update: (as: Session) =>
    as.db.send(
      new UpdateItemCommand({
        TableName,
        Key,
        ConditionExpression: 'attribute_exists(chain)',
        UpdateExpression: 'SET forged = :f',
        ExpressionAttributeValues: { ':f': { BOOL: true } },
      }),
    ),
  delete: (as: Session) => as.db.send(new DeleteItemCommand({ TableName, Key })),
};
type Probe = keyof typeof probes;

interface Session {
  readonly db: DynamoDBClient;
  readonly s3: S3Client;
  readonly kms: KMSClient;
  readonly sfn: SFNClient;
  readonly secrets: SecretsManagerClient;
  readonly lambda: LambdaClient;
  readonly sts: STSClient;
  /** Returns a client for WebSocket API connections at an address. */
  readonly connections: (endpoint: string) => ApiGatewayManagementApiClient;
}

export function privilegeChecks(emulator: Emulator, { GatewayStores, GatewayServices }: Outputs): Check[] {
  const root = clientConfig(emulator);
  const Bucket = GatewayStores.ArchiveBucketName;
  const socket = `${emulator.endpoint}/_aws/execute-api/${GatewayServices.WebSocketApiId}/gateway`;

  const as = async (name: FunctionName): Promise<Session> => {
    const RoleArn = roleOf(name);
    const { Credentials } = await new STSClient(root).send(
      new AssumeRoleCommand({ RoleArn, RoleSessionName: 'probe' }),
    );
    const { AccessKeyId = '', SecretAccessKey = '', SessionToken = '' } = Credentials ?? {};
    return sessionOf({
      ...root,
      credentials: { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken },
    });
  };
  const onEvidence = (name: FunctionName, may: readonly Probe[]): Check =>
    check(`${name} on evidence: ${may.join(', ') || 'nothing'}, no more`, async () => {
      const session = await as(name);
      for (const [probe, attempt] of Object.entries(probes)) {
        const outcome = await allowed(attempt(session));
        assert.equal(outcome, may.includes(probe as Probe), `${probe} ${outcome ? 'is allowed' : 'is denied'}`);
      }
    });
  const may = (
    says: string,
    name: FunctionName,
    expected: boolean,
    attempt: (session: Session) => Promise<unknown>,
  ): Check => check(says, async () => assert.equal(await allowed(attempt(await as(name))), expected));

  const secret = (SecretId: string) => (session: Session) =>
    session.secrets.send(new GetSecretValueCommand({ SecretId }));
  const object =
    (Body: string) =>
    ({ s3 }: Session) =>
      s3.send(new PutObjectCommand({ Bucket, Key: 'probe', Body, IfNoneMatch: '*' }));

  return [
    check('canary: the emulator actually enforces IAM', async () => {
      assert.equal(
        await allowed(probes.update(await as('evidence'))),
        false,
        'started without enforcement: nothing below proves anything',
      );
    }),
    onEvidence('evidence', ['read']),
    onEvidence('test-action', ['read', 'put']),
    onEvidence('chat-completions', ['read', 'put']),
    onEvidence('messages', ['read', 'put']),
    onEvidence('ws-worker', ['read', 'put']),
    onEvidence('mcp', ['read', 'put']),
    onEvidence('sandbox', []),
    onEvidence('ws', []),
    // The evidence determines which request may be cancelled.
    onEvidence('models', ['read']),
    onEvidence('count-tokens', []),
    onEvidence('approvals', ['read', 'put']),
    onEvidence('approval-steps', ['read', 'put']),
    onEvidence('sweep', ['read', 'put']),
    onEvidence('observatory', ['read', 'put']),
    // An evaluator's response is recorded as evidence.
    onEvidence('notify', ['read', 'put']),
    onEvidence('project', []),
    may('evidence signs', 'evidence', true, ({ kms }) => sign(kms, GatewayStores.SigningKeyId)),
    may('project signs the log', 'project', true, ({ kms }) => signLog(kms, GatewayStores.LogKeyId)),
    may('evidence does not sign the log', 'evidence', false, ({ kms }) => signLog(kms, GatewayStores.LogKeyId)),
    may('test-action does not sign', 'test-action', false, ({ kms }) => sign(kms, GatewayStores.SigningKeyId)),
    may('approvals signs votes', 'approvals', true, ({ kms }) => sign(kms, GatewayStores.VoteKeyId)),
    may('approvals does not sign evidence', 'approvals', false, ({ kms }) => sign(kms, GatewayStores.SigningKeyId)),
    may('test-action does not sign votes', 'test-action', false, ({ kms }) => sign(kms, GatewayStores.VoteKeyId)),
    may('notify starts no approval', 'notify', false, ({ sfn }) =>
      sfn.send(new StartExecutionCommand({ stateMachineArn: GatewayServices.ApprovalStateMachineArn, name: 'probe' })),
    ),
    may(
      'test-action does not read keys: it knows their digests',
      'test-action',
      false,
      secret(GatewayStores.KeysSecretName),
    ),
    may('whoever stores configurations reads keys', 'policies', true, secret(GatewayStores.KeysSecretName)),
    may('but not the admin token', 'policies', false, secret(GatewayStores.AdminSecretName)),
    may('the chat callback does not read keys', 'approval-callback', false, secret(GatewayStores.KeysSecretName)),
    may(
      'the callback reads what it verifies comments with',
      'approval-callback',
      true,
      secret('agent-governance/github'),
    ),
    may('what takes votes over HTTP does not', 'approvals', false, secret('agent-governance/github')),
    may('project adds to the archive', 'project', true, object('probe')),
    may('project does not overwrite there', 'project', false, object('forged')),
    may('project does not delete there', 'project', false, ({ s3 }) =>
      s3.send(new DeleteObjectCommand({ Bucket, Key: 'probe' })),
    ),
    may('project reads there, to continue its checkpoints', 'project', true, ({ s3 }) =>
      s3.send(new GetObjectCommand({ Bucket, Key: 'probe' })),
    ),
    may('chat reads the secrets of providers', 'chat-completions', true, secret('agent-governance/providers')),
    may(
      'test-action reads them: a model may classify what a tool returned',
      'test-action',
      true,
      secret('agent-governance/providers'),
    ),
    may('approvals does not', 'approvals', false, secret('agent-governance/providers')),
    may('chat does not read what brokers sign with', 'chat-completions', false, secret('agent-governance/brokers')),
    may('chat sees no issued credential', 'chat-completions', false, ({ db }) =>
      db.send(new ScanCommand({ TableName: 'agent-governance-credentials' })),
    ),
    may('chat does not delete the counters that limit it', 'chat-completions', false, ({ db }) =>
      db.send(new DeleteItemCommand({ TableName: 'agent-governance-counters', Key: { id: { S: 'probe' } } })),
    ),
    may('ws hands over to its worker', 'ws', true, ({ lambda }) => invoke(lambda, 'ws-worker')),
    may('ws invokes no other function', 'ws', false, ({ lambda }) => invoke(lambda, 'policies')),
    may('the worker invokes nobody', 'ws-worker', false, ({ lambda }) => invoke(lambda, 'ws-worker')),
    may('the worker posts to connections', 'ws-worker', true, ({ connections }) => connections(socket).send(post)),
    may('chat over HTTP does not', 'chat-completions', false, ({ connections }) => connections(socket).send(post)),
    may('test-action has the sandbox run a command', 'test-action', true, ({ lambda }) => invoke(lambda, 'sandbox')),
    may('the sandbox invokes nobody', 'sandbox', false, ({ lambda }) => invoke(lambda, 'sandbox')),
    may('mcp has none run: its calls are run by their servers', 'mcp', false, ({ lambda }) =>
      invoke(lambda, 'sandbox'),
    ),
    may('chat has no command run', 'chat-completions', false, ({ lambda }) => invoke(lambda, 'sandbox')),
    may('the sandbox reads no secret', 'sandbox', false, secret('agent-governance/brokers')),
    may('mcp assumes the role of a broker', 'mcp', true, ({ sts }) => sts.send(assume(brokerRole))),
    may('mcp assumes no other role', 'mcp', false, ({ sts }) => sts.send(assume(roleOf('project')))),
    may('sweep assumes none', 'sweep', false, ({ sts }) => sts.send(assume(brokerRole))),
    may('chat assumes none', 'messages', false, ({ sts }) => sts.send(assume(brokerRole))),
    may('mcp reads the stored secret of a broker', 'mcp', true, secret(brokerSecret)),
    may('observatory does not', 'observatory', false, secret(brokerSecret)),
    may('evidence lists the archive', 'evidence', true, ({ s3 }) => s3.send(new ListObjectsV2Command({ Bucket }))),
    may('test-action lists nothing of the archive', 'test-action', false, ({ s3 }) =>
      s3.send(new ListObjectsV2Command({ Bucket })),
    ),
    may('test-action adds nothing to the archive', 'test-action', false, ({ s3 }) =>
      s3.send(new PutObjectCommand({ Bucket, Key: 'forged', Body: 'forged' })),
    ),
  ];
}

const roleOf = (name: FunctionName): string => `arn:aws:iam::000000000000:role/agent-governance-${name}-us-east-1`;

const assume = (RoleArn: string) =>
  new AssumeRoleCommand({
    RoleArn,
    RoleSessionName: 'probe',
    SourceIdentity: 'probe',
    Tags: [{ Key: 'envelope', Value: 'probe' }],
  });

/** Checks whether the function may be invoked, without running the function. */
const invoke = (lambda: LambdaClient, name: FunctionName) =>
  lambda.send(new InvokeCommand({ FunctionName: `agent-governance-${name}:live`, InvocationType: 'DryRun' }));

const post = new PostToConnectionCommand({ ConnectionId: 'nobody', Data: Buffer.from('{}') });

const signLog = (kms: KMSClient, KeyId: string) =>
  kms.send(new SignCommand({ KeyId, Message: digest, MessageType: 'RAW', SigningAlgorithm: 'ED25519_SHA_512' }));
const sign = (kms: KMSClient, KeyId: string) =>
  kms.send(new SignCommand({ KeyId, Message: digest, MessageType: 'DIGEST', SigningAlgorithm: 'ECDSA_SHA_256' }));

type ClientConfig = Omit<ReturnType<typeof clientConfig>, 'credentials'> & {
  readonly credentials: { accessKeyId: string; secretAccessKey: string; sessionToken: string };
};

const sessionOf = (config: ClientConfig): Session => ({
  db: new DynamoDBClient(config),
  s3: new S3Client({ ...config, forcePathStyle: true }),
  kms: new KMSClient(config),
  sfn: new SFNClient(config),
  secrets: new SecretsManagerClient(config),
  lambda: new LambdaClient(config),
  sts: new STSClient(config),
  connections: (endpoint) => new ApiGatewayManagementApiClient({ ...config, endpoint }),
});

/**
 * Checks whether an action was allowed. An unmet condition or a closed connection also shows that the action itself was
 * allowed. @throws on any other failure.
 */
async function allowed(attempt: Promise<unknown>): Promise<boolean> {
  try {
    await attempt;
    return true;
  } catch (thrown) {
    const { name } = thrown as Error;
    if (['ConditionalCheckFailedException', 'GoneException'].includes(name)) return true;
    if (['AccessDenied', 'AccessDeniedException', 'ForbiddenException', 'PreconditionFailed'].includes(name))
      return false;
    throw thrown;
  }
}
