/** The outside calls of the credential brokers. Their SDKs are loaded when a broker first needs them. */
import { gitHostTokens } from '#adapters/http/git-host.ts';
import { vaultClient } from '#adapters/http/vault-client.ts';
import type { BrokerClients } from '#core/execution/credentials/ports.ts';
import { lazySecretVersions } from './secret-versions.ts';
import { lazySts } from './sts-client.ts';

export const brokerClients = (): BrokerClients => ({
  gitHost: gitHostTokens(),
  sts: lazySts(),
  vault: vaultClient(),
  secretVersions: lazySecretVersions(),
  pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
});
