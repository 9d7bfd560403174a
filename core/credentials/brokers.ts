/** The configured brokers by name (spec §2.6). A kind this build does not speak is no broker: the action is refused. */
import type { Configuration } from '#core/contracts/config.ts';
import type { BrokerPorts, CredentialBroker } from './ports.ts';
import { scmAppBroker } from './scm-app-broker.ts';
import { staticBroker } from './static-broker.ts';

export const brokersFrom =
  ({ credentials }: Configuration, ports: BrokerPorts) =>
  (name: string): CredentialBroker | undefined => {
    const settings = credentials.brokers.find((broker) => broker.name === name);
    if (settings?.type === 'scm_app') return scmAppBroker(settings, ports);
    if (settings?.type === 'static') return staticBroker(settings, ports);
    return undefined;
  };
