/** Calling the deployed gateway as one of the people and agents of the test. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Outputs } from './deployment.ts';
import type { Emulator } from './emulator.ts';

export interface Answer {
  readonly status: number;
  /** Parsed JSON, or the text where it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are read by path; a wrong path fails the check
  readonly body: any;
}

export interface Keys {
  readonly admin: string;
  readonly agent: string;
  readonly human: string;
  readonly viewer: string;
}
export type Caller = keyof Keys | undefined;

/** What a client needs to reach the emulator as its administrator. */
export const clientConfig = ({ endpoint }: Emulator) => ({
  endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
});

/** What an operator does after the first deployment: reads the generated admin token, adds the keys of callers. */
export async function provisionKeys(emulator: Emulator, { GatewayStores }: Outputs): Promise<Keys> {
  const secrets = new SecretsManagerClient(clientConfig(emulator));
  const SecretId = GatewayStores.KeysSecretName;
  const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId }));
  const stored = JSON.parse(SecretString ?? '{}') as Record<string, string>;
  const admin = stored.GATEWAY_ADMIN_TOKEN ?? '';
  assert.equal(admin.length, 48, 'the deployment generates the admin token');
  const fresh = () => randomBytes(24).toString('hex');
  const keys = { admin, agent: fresh(), human: fresh(), viewer: fresh() };
  const values = { ...stored, AGENT_KEY: keys.agent, HUMAN_KEY: keys.human, VIEWER_KEY: keys.viewer };
  await secrets.send(new PutSecretValueCommand({ SecretId, SecretString: JSON.stringify(values) }));
  return keys;
}

export type Call = (
  caller: Caller,
  request: `${'GET' | 'POST' | 'PUT'} /${string}`,
  body?: unknown,
  type?: string,
) => Promise<Answer>;

/** Stage URLs of AWS are not reachable here; the emulator serves the same API under its id. */
export function gatewayAt({ endpoint }: Emulator, apiId: string, keys: Keys): Call {
  return async (caller, request, body, type = 'application/json') => {
    const [method = '', path = ''] = request.split(' ');
    const response = await fetch(`${endpoint}/_aws/execute-api/${apiId}/gateway${path}`, {
      method,
      headers: { ...(caller && { 'x-api-key': keys[caller] }), ...(body !== undefined && { 'content-type': type }) },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    });
    return { status: response.status, body: parsed(await response.text()) };
  };
}

/** Asserts a status, showing the body when it is another. */
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
