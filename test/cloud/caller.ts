/** Calls the deployed gateway as one of the people or agents in the test. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetPublicKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { S3Client } from '@aws-sdk/client-s3';
import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { bootstrapAdminToken } from '#adapters/aws/dynamodb/bootstrap.ts';
import { objectBucket } from '#adapters/aws/object-bucket.ts';
import type { Loose } from '../support/loose.ts';
import { type Deployment, gateway, type Outputs } from './deployment.ts';
import type { Emulator } from './emulator.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON, or the text if it is not JSON. */
  readonly body: Loose;
}

export interface Keys {
  readonly admin: string;
  readonly agent: string;
  readonly human: string;
  readonly viewer: string;
  /** The key of a tenant limited to two calls per minute. */
  readonly hasty: string;
}
export type Caller = keyof Keys | undefined;

/**
 * Returns the configuration that a client needs to reach the emulator as its administrator, in the region of a
 * deployment.
 */
export const clientConfig = ({ endpoint }: Emulator, { region }: Deployment = gateway) => ({
  endpoint,
  region,
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
});

/**
 * Performs the operator's tasks after the first deployment: reads the generated admin token and adds the caller and
 * ticket keys.
 */
export async function provisionKeys(emulator: Emulator, { GatewayStores }: Outputs, which = gateway): Promise<Keys> {
  const { name } = which;
  const secrets = new SecretsManagerClient(clientConfig(emulator, which));
  const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId: GatewayStores.AdminSecretName }));
  const admin = (JSON.parse(SecretString ?? '{}') as Record<string, string>).GATEWAY_ADMIN_TOKEN ?? '';
  const db = new DynamoDBClient(clientConfig(emulator, which));
  await bootstrapAdminToken({ db, secrets, name });
  assert.equal(admin.length, 48, 'the deployment generates the admin token');
  const fresh = () => randomBytes(24).toString('hex');
  const keys = { admin, agent: fresh(), human: fresh(), viewer: fresh(), hasty: fresh() };
  const named = Object.entries(keys).map(([caller, key]) => [`${caller.toUpperCase()}_KEY`, key]);
  const values = Object.fromEntries(named.filter(([variable]) => variable !== 'ADMIN_KEY'));
  await putSecret(emulator, GatewayStores.KeysSecretName, values, which);
  await putSecret(emulator, `${name}/brokers`, { GATEWAY_TICKET_KEY: fresh() }, which);
  return keys;
}

/** Sets the values of one deployment secret. */
export async function putSecret(
  emulator: Emulator,
  SecretId: string,
  values: Readonly<Record<string, string>>,
  which = gateway,
): Promise<void> {
  const secrets = new SecretsManagerClient(clientConfig(emulator, which));
  await secrets.send(new PutSecretValueCommand({ SecretId, SecretString: JSON.stringify(values) }));
}

/** Stores a filter module under its digest, as the deployment guide instructs operators to do. */
export async function storeModule(
  emulator: Emulator,
  { GatewayStores }: Outputs,
  bytes: Uint8Array,
  which = gateway,
): Promise<void> {
  const client = new S3Client({ ...clientConfig(emulator, which), forcePathStyle: true });
  await objectBucket({ bucket: GatewayStores.ObjectBucketName, client }).put(bytes);
}

/** Returns the public half of a KMS key in PEM form. */
export async function publicKeyOf(emulator: Emulator, KeyId: string): Promise<string> {
  const { PublicKey } = await new KMSClient(clientConfig(emulator)).send(new GetPublicKeyCommand({ KeyId }));
  const base64 = Buffer.from(PublicKey ?? []).toString('base64');
  return `-----BEGIN PUBLIC KEY-----\n${base64.match(/.{1,64}/g)?.join('\n')}\n-----END PUBLIC KEY-----\n`;
}

export type Call = (
  caller: Caller,
  request: `${'GET' | 'OPTIONS' | 'POST' | 'PUT'} /${string}`,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>;

/**
 * Returns an API's address. AWS stage URLs are not reachable from the test; the emulator serves the same API under its
 * id.
 */
export const addressOf = ({ endpoint }: Pick<Emulator, 'endpoint'>, apiId: string): string =>
  `${endpoint}/_aws/execute-api/${apiId}/gateway`;

export function gatewayAt(emulator: Emulator, apiId: string, keys: Keys): Call {
  const url = addressOf(emulator, apiId);
  return async (caller, request, body, headers = {}) => {
    const [method = '', path = ''] = request.split(' ');
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(caller && { 'x-api-key': keys[caller] }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    });
    return { status: response.status, headers: response.headers, body: parsed(await response.text()) };
  };
}

/** Asserts a status. If it differs, the error shows the body. */
export function expectStatus(answer: Answer, status: number): Answer['body'] {
  assert.equal(
    answer.status,
    status,
    `expected HTTP ${status}, got ${answer.status}: ${JSON.stringify(answer.body).slice(0, 600)}`,
  );
  return answer.body;
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};
