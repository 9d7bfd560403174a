/** Checks the credentials that the deployed functions mint. IAM decides which requests they allow. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { type Check, check } from '../support/checks.ts';
import { firstToken, makeBrokersThings, order } from './broker-role.ts';
import { type Call, clientConfig, expectStatus } from './caller.ts';
import { brokerRole, brokerSecret } from './deployment.ts';
import type { Emulator } from './emulator.ts';
import { mcpSession, rpcAt, textOf } from './mcp.ts';
import { type Office, orders } from './office.ts';

const nextToken = 'partner-token-of-february';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

export function brokerChecks(emulator: Emulator, mcp: Call, admin: Call, office: Office): Check[] {
  const secrets = new SecretsManagerClient(clientConfig(emulator));
  const rpc = rpcAt(mcp);
  const call = (name: string, args: object) => rpc('tools/call', { name, arguments: args });
  const askPartner = () => call('ask_partner', { question: 'when?' });
  const exported = async () =>
    expectStatus(await admin('human', `GET /admin/v1/evidence/sessions/${mcpSession}/export`), 200);

  return [
    check('an operator creates a role, two tables and a secret that brokers may use', () =>
      makeBrokersThings(emulator),
    ),
    check('keys minted for one read allow that read, but not a write or access to another table', async () => {
      const table = `arn:aws:dynamodb:us-east-1:000000000000:table/${orders}`;
      const tried = textOf(await call('get_order', { table, order: order.id }));
      assert.deepEqual(tried, {
        item: order.note,
        read: 'allowed',
        read_other_table: 'AccessDeniedException',
        write: 'AccessDeniedException',
      });
    }),
    check(
      'the same role without a session policy allows all of these calls, so the policy caused the denials',
      async () => {
        const { Credentials } = await new STSClient(clientConfig(emulator)).send(
          new AssumeRoleCommand({ RoleArn: brokerRole, RoleSessionName: 'broad' }),
        );
        const { AccessKeyId = '', SecretAccessKey = '', SessionToken = '' } = Credentials ?? {};
        const credentials = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken };
        const db = new DynamoDBClient({ ...clientConfig(emulator), credentials });
        await db.send(new PutItemCommand({ TableName: orders!, Item: { id: { S: 'o-18' } } }));
      },
    ),
    check('an action without a known session policy is refused, and no role is assumed for it', async () => {
      const refused = await call('get_order', {
        table: 'arn:aws:dynamodb:us-east-1:000000000000:table/*',
        order: 'o-17',
      });
      assert.ok(refused.error, JSON.stringify(refused.result));
      assert.match(refused.error.message, /aws\.dynamodb\.get_item/);
    }),
    check('the current version of a stored secret is passed on, and no response contains it', async () => {
      const said = textOf(await askPartner());
      assert.equal(said.token_sha256, sha256(firstToken));
      assert.notEqual(said.token, firstToken);
    }),
    check('during rotation the secret has two versions, and the pending one is not used', async () => {
      await secrets.send(
        new PutSecretValueCommand({ SecretId: brokerSecret, SecretString: nextToken, VersionStages: ['AWSPENDING'] }),
      );
      assert.equal(textOf(await askPartner()).token_sha256, sha256(firstToken));
    }),
    check('after the rotation, the new version is used', async () => {
      const versions = await versionIds(secrets);
      await secrets.send(
        new UpdateSecretVersionStageCommand({
          SecretId: brokerSecret,
          VersionStage: 'AWSCURRENT',
          MoveToVersionId: versions.pending,
          RemoveFromVersionId: versions.current,
        }),
      );
      assert.equal(textOf(await askPartner()).token_sha256, sha256(nextToken));
    }),
    check('a server that requires tickets can redeem only the ticket it was given, and only once', async () => {
      office.redeem = async (ticket, resource) => {
        const use = { ticket, resource, tool: 'partner.order', capability: 'write' };
        const { status, body } = await admin('human', 'POST /admin/v1/tickets/redeem', use);
        return { status, reason: body.error?.reason };
      };
      assert.deepEqual(textOf(await call('order_paper', { kind: 'A4' })), {
        first: { status: 200 },
        second: { status: 403, reason: 'ticket_replayed' },
      });
    }),
    check('evidence names credentials by id and scope, and contains none of their values', async () => {
      const bundle = JSON.stringify(await exported());
      for (const secret of [firstToken, nextToken]) assert.ok(!bundle.includes(secret), 'a secret is in evidence');
      assert.ok(!/secret_access_key|session_token/.test(bundle), 'keys are in evidence');
      for (const type of ['sts_session', 'secrets_manager', 'capability_ticket'])
        assert.ok(bundle.includes(`"${type}"`), `no ${type} is named`);
    }),
  ];
}

async function versionIds(secrets: SecretsManagerClient) {
  const idOf = async (VersionStage: string) =>
    (await secrets.send(new GetSecretValueCommand({ SecretId: brokerSecret, VersionStage }))).VersionId;
  return { current: await idOf('AWSCURRENT'), pending: await idOf('AWSPENDING') };
}
