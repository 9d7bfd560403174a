/** Creates configured brokers by name. A broker without the clients it needs cannot mint. */
import type { BrokerEntry, Configuration } from '#core/contracts/config.ts';
import type { BrokerPorts, CredentialBroker } from './ports.ts';
import { scmAppBroker } from './scm-app-broker.ts';
import { staticBroker } from './static-broker.ts';
import { storedSecretBroker } from './stored-secret-broker.ts';
import { stsBroker } from './sts-broker.ts';
import { ticketBroker } from './ticket-broker.ts';
import { vaultBroker } from './vault-broker.ts';

export const brokersFrom =
  ({ credentials }: Configuration, ports: BrokerPorts) =>
  (name: string): CredentialBroker | undefined => {
    const settings = credentials.brokers.find((broker) => broker.name === name);
    return settings && brokerOf(settings, { credentials }, ports);
  };

function brokerOf(
  settings: BrokerEntry,
  configuration: Pick<Configuration, 'credentials'>,
  ports: BrokerPorts,
): CredentialBroker {
  switch (settings.type) {
    case 'scm_app':
      return scmAppBroker(settings, ports);
    case 'static':
      return staticBroker(settings, ports);
    case 'sts':
      return stsBroker(settings, ports);
    case 'vault':
      return vaultBroker(settings, ports);
    case 'secrets_manager':
      return storedSecretBroker(settings, ports);
    case 'ticket':
      return ticketBroker(settings, configuration, ports);
  }
}
