/**
 * Brokers of the current configuration. They are loaded when the first credential is minted or revoked, since most
 * calls need none.
 */
import type { Snapshots } from '#core/configuration/store/snapshots.ts';
import type { BrokerPorts, CredentialBroker } from './ports.ts';

export function configuredBrokers(
  snapshots: Pick<Snapshots, 'current'>,
  ports: BrokerPorts,
): (name: string) => Promise<CredentialBroker | undefined> {
  return async (name) => {
    const { configuration } = await snapshots.current({ evenStale: true });
    const { brokersFrom } = await import('./brokers.ts');
    return brokersFrom(configuration, ports)(name);
  };
}
