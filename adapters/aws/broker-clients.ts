/** The credential brokers' outbound calls. Their SDKs are loaded when a broker first needs them. */
import type { SecretsManagerClient, SecretsManagerClientConfig } from '@aws-sdk/client-secrets-manager';
import { gitHostTokens } from '#adapters/http/git-host.ts';
import { ServiceFault } from '#core/execution/credentials/fault.ts';
import type { BrokerClients, SecretVersions, VaultClient } from '#core/execution/credentials/ports.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import { clientBounds } from './client-bounds.ts';
import { sdkFault } from './sdk-fault.ts';
import { lazySts } from './sts-client.ts';

export const brokerClients = (): BrokerClients => ({
  gitHost: gitHostTokens(),
  sts: lazySts(),
  vault: lazyVault(),
  secretVersions: lazySecretVersions(),
  pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
});

function lazyVault(): VaultClient {
  const loaded = lazyImport(async () => (await import('#adapters/http/vault-client.ts')).vaultClient());
  return {
    lease: async (access, mount, role) => (await loaded()).lease(access, mount, role),
    renew: async (access, leaseId, seconds) => (await loaded()).renew(access, leaseId, seconds),
    revoke: async (access, leaseId) => (await loaded()).revoke(access, leaseId),
  };
}

type Sdk = typeof import('./sdk/secret-versions.ts');

/** Maximum number of cached clients: one per region. */
const maxClients = 16;

/** Reads one version of a secret in Secrets Manager through the AWS SDK, which is loaded at the first call. */
export function lazySecretVersions(config: SecretsManagerClientConfig = {}, timeoutMs = 10_000): SecretVersions {
  const clients = new RecentMap<string, SecretsManagerClient>({ max: maxClients });

  const clientOf = (sdk: Sdk, region: string | undefined): SecretsManagerClient =>
    clients.getOrInsertComputed(
      region ?? '',
      () =>
        new sdk.SecretsManagerClient({
          ...clientBounds(),
          ...config,
          ...(region !== undefined && { region }),
        }),
    );

  return {
    async get({ secretId, region, stage }) {
      try {
        const sdk = await import('./sdk/secret-versions.ts');
        const command = new sdk.GetSecretValueCommand({ SecretId: secretId, VersionStage: stage });
        const abortSignal = AbortSignal.timeout(timeoutMs);
        const { SecretString, VersionId, VersionStages } = await clientOf(sdk, region).send(command, { abortSignal });
        if (SecretString === undefined || VersionId === undefined)
          throw new ServiceFault('malformed', 'a response without a string value or a version');
        return { value: SecretString, version_id: VersionId, stages: VersionStages ?? [] };
      } catch (thrown) {
        throw sdkFault(thrown);
      }
    },
  };
}
