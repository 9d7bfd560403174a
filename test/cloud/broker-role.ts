/**
 * Creates the role that an operator sets up for the brokers: it trusts the account and has more permissions than any
 * single call needs.
 */
import { Sha256 } from '@aws-crypto/sha256-js';
import { CreateTableCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SignatureV4 } from '@smithy/signature-v4';
import { clientConfig } from './caller.ts';
import { brokerRole, brokerSecret } from './deployment.ts';
import type { Emulator } from './emulator.ts';
import { invoices, orders } from './office.ts';

export const order = { id: 'o-17', note: 'twelve sunflowers' };
export const firstToken = 'partner-token-of-january';

export async function makeBrokersThings(emulator: Emulator): Promise<void> {
  const config = clientConfig(emulator);
  const db = new DynamoDBClient(config);
  for (const TableName of [orders, invoices])
    await db.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      }),
    );
  await db.send(new PutItemCommand({ TableName: orders, Item: { id: { S: order.id }, note: { S: order.note } } }));
  await new SecretsManagerClient(config).send(
    new CreateSecretCommand({ Name: brokerSecret, SecretString: firstToken }),
  );
  await makeRole(emulator);
}

/**
 * Creates a role that trusts the whole account. The function roles, as the stacks define them, determine who may assume
 * it.
 */
async function makeRole(emulator: Emulator): Promise<void> {
  const RoleName = brokerRole.split('/').at(-1)!;
  const trust = { AWS: 'arn:aws:iam::000000000000:root' };
  const tables = [orders, invoices].map((table) => `arn:aws:dynamodb:us-east-1:000000000000:table/${table}`);
  await iam(emulator, 'CreateRole', {
    RoleName,
    AssumeRolePolicyDocument: policy({
      Principal: trust,
      Action: ['sts:AssumeRole', 'sts:TagSession', 'sts:SetSourceIdentity'],
    }),
  });
  await iam(emulator, 'PutRolePolicy', {
    RoleName,
    PolicyName: 'all-of-it',
    PolicyDocument: policy({ Action: ['dynamodb:GetItem', 'dynamodb:PutItem'], Resource: tables }),
  });
}

const policy = (statement: object): string =>
  JSON.stringify({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', ...statement }] });

/**
 * Makes a signed call to the IAM query API, because the repository does not have an IAM client and needs only two
 * calls.
 */
async function iam(emulator: Emulator, Action: string, parameters: Record<string, string>): Promise<void> {
  const { endpoint, region, credentials } = clientConfig(emulator);
  const { hostname, port, host } = new URL(endpoint);
  const body = new URLSearchParams({ Action, Version: '2010-05-08', ...parameters }).toString();
  const signer = new SignatureV4({ service: 'iam', region, credentials, sha256: Sha256 });
  const { headers } = await signer.sign({
    method: 'POST',
    protocol: 'http:',
    hostname,
    port: Number(port),
    path: '/',
    body,
    headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
  });
  const response = await fetch(endpoint, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`${Action} answered ${response.status}: ${await response.text()}`);
}
