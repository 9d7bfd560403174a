/** Brokers over fake issuers. */
import { lazySecretVersions } from '#adapters/aws/broker-clients.ts';
import { gitHostTokens } from '#adapters/http/git-host.ts';
import { vaultClient } from '#adapters/http/vault-client.ts';
import type { BrokerEntry, Configuration } from '#core/contracts/config.ts';
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import { brokersFrom } from '#core/execution/credentials/brokers.ts';
import type {
  BrokerClients,
  BrokerPorts,
  CredentialBroker,
  IssuedCredential,
} from '#core/execution/credentials/ports.ts';
import { type LoopbackAnswer, loopback } from '../support/loopback.ts';
import {
  brokerPorts,
  envelope as gitEnvelope,
  grant as gitGrant,
  now,
  rsaKeys,
} from '../unit/execution/credentials/sample.ts';
import { fakeGitHost } from './fake-git-host.ts';
import { fakeVault } from './fake-vault.ts';

const keys = rsaKeys();
/**
 * Timeout that is never reached, however busy the machine is. Tests in which an issuer never responds use a shorter
 * timeout.
 */
export const patient = 60_000;
export const aws = {
  region: 'us-east-1',
  maxAttempts: 1,
  credentials: { accessKeyId: 'gateway', secretAccessKey: 'gateway-own-secret' },
};

/** Secrets of the gateway itself. Neither these secrets nor a minted credential may appear in an error. */
export const own: Record<string, string> = {
  SCM_KEY: keys.pem,
  OLD_TOKEN: 'static-token-value',
  VAULT_TOKEN: 'hvs.gateway-token',
  EXTERNAL_ID: 'external-id-value',
};

export interface World {
  readonly settings: BrokerEntry;
  readonly envelope: ActionEnvelope;
  readonly scope: string;
  readonly clients: BrokerClients;
  /** Responses that the issuer sends next instead of the normal responses. */
  readonly faults: (LoopbackAnswer | 'hang')[];
  readonly calls: readonly { readonly body: string }[];
  readonly refusal: LoopbackAnswer;
  readonly garbage: LoopbackAnswer;
  stop(): Promise<void>;
}

export const settingsOf = <T extends BrokerEntry['type']>(settings: Extract<BrokerEntry, { type: T }>) => settings;

export async function gitWorld(timeoutMs = patient) {
  const host = await fakeGitHost({
    appId: '12345',
    publicKey: keys.publicKey,
    id: '77',
    owner: 'acme',
    repositories: ['web', 'api'],
    permissions: { contents: 'read', pull_requests: 'write' },
    now: () => now,
  });
  const settings = settingsOf<'scm_app'>({
    type: 'scm_app',
    name: 'b',
    app_id: '12345',
    installation_id: '77',
    private_key_env: 'SCM_KEY',
    generated_key: false,
    api_url: host.url,
  });
  return {
    settings,
    host,
    envelope: gitEnvelope,
    scope: 'pull_requests:write,contents:read',
    clients: { gitHost: gitHostTokens({ timeoutMs }) },
    faults: host.faults,
    calls: host.calls,
    refusal: { status: 403, body: { message: 'no' } },
    garbage: { status: 201, body: { token: '' } },
    stop: host.stop,
  };
}

export async function vaultWorld(timeoutMs = patient) {
  const vault = await fakeVault({ token: own.VAULT_TOKEN!, role: 'readers', leaseSeconds: 3000, namespace: 'team' });
  const settings = settingsOf<'vault'>({
    type: 'vault',
    name: 'b',
    url: vault.url,
    mount: 'database',
    role: 'readers',
    token_env: 'VAULT_TOKEN',
    namespace: 'team',
  });
  return {
    settings,
    vault,
    envelope: { ...gitEnvelope, tool: 'sql.query', target: 'orders' },
    scope: 'orders:read',
    clients: { vault: vaultClient({ timeoutMs }) },
    faults: vault.faults,
    calls: vault.calls,
    refusal: { status: 403, body: { errors: ['no'] } },
    garbage: { status: 200, body: { data: {} } },
    stop: vault.stop,
  };
}

export const secretId = 'arn:aws:secretsmanager:us-east-1:111122223333:secret:db-AbCdEf';
export async function storedWorld(timeoutMs = patient) {
  const state = { stages: ['AWSCURRENT'], version: 'v-1', value: 'stored-secret-value' };
  const server = await loopback(
    () => ({
      status: 200,
      body: { SecretString: state.value, VersionId: state.version, VersionStages: state.stages },
    }),
    'application/x-amz-json-1.1',
  );
  const settings = settingsOf<'secrets_manager'>({ type: 'secrets_manager', name: 'b', secret_id: secretId });
  return {
    settings,
    state,
    envelope: { ...gitEnvelope, tool: 'sql.query', target: 'orders' },
    scope: 'orders:read',
    clients: { secretVersions: lazySecretVersions({ ...aws, endpoint: server.url }, timeoutMs) },
    faults: server.faults,
    calls: server.calls,
    stop: server.stop,
    refusal: { status: 400, body: { __type: 'AccessDeniedException', message: own.SCM_KEY } },
    garbage: { status: 200, body: { VersionId: 'v-1' } },
  };
}

export const portsOf = (clients: BrokerClients | undefined, secrets = own): BrokerPorts => ({
  ...brokerPorts(secrets),
  ...(clients && { clients }),
});

export const brokerOf = (settings: BrokerEntry, ports: BrokerPorts): CredentialBroker => {
  const configuration = { credentials: { brokers: [settings], grants: [] } } as unknown as Configuration;
  return brokersFrom(configuration, ports)('b')!;
};

export const grantOf = ({ scope }: Pick<World, 'scope'>, ttl_seconds = 600) =>
  gitGrant({ broker: 'b', scope, ttl_seconds });
export const issueIn = (world: World, ttl = 600): Promise<IssuedCredential> =>
  brokerOf(world.settings, portsOf(world.clients)).issue(world.envelope, grantOf(world, ttl));

/** Returns the error of a promise that must reject, and its full text. */
export async function failure(promise: Promise<unknown>) {
  const error = (await promise.then(
    () => Promise.reject(new Error('it was minted')),
    (thrown: unknown) => thrown,
  )) as Error & { code?: string; data?: { reason?: string } };
  const chain: unknown[] = [];
  for (let at: unknown = error; at instanceof Error; at = at.cause)
    chain.push(at.name, at.message, at.stack, { ...at });
  return { ...error, message: error.message, code: error.code, data: error.data, text: JSON.stringify(chain) };
}
