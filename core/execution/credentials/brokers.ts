/** Creates configured brokers by name. A broker without the clients it needs cannot mint credentials. */
import type { BrokerEntry, Configuration } from '#core/contracts/config.ts';
import { brokerError, ServiceFault, unavailable } from './fault.ts';
import type { BrokerPorts, BrokerSettings, CredentialBroker } from './ports.ts';
import { maxCredentialSeconds, newRecord } from './record.ts';
import { scmAppBroker } from './scm-app-broker.ts';
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

/**
 * Returns the static broker, which issues a configured secret unchanged. Its credentials are marked as degraded, since
 * the secret is neither scoped nor expiring.
 */
export function staticBroker(settings: BrokerSettings<'static'>, ports: BrokerPorts): CredentialBroker {
  const kind = { type: settings.credential_type, degraded: true, longestSeconds: maxCredentialSeconds };
  return {
    name: settings.name,
    calledBack: 'never',
    async issue(envelope, grant) {
      const secret = await ports.secrets.get(settings.secret_env);
      if (!secret) throw unavailable(settings.name, `${settings.secret_env} contains no value`);
      return { record: newRecord(ports, envelope, grant, kind), secret };
    },
    /** Does nothing: the operator owns the secret and rotates it. */
    async revoke() {},
  };
}

const current = 'AWSCURRENT';
const kind = {
  type: 'secrets_manager',
  degraded: true,
  longestSeconds: maxCredentialSeconds,
  note: 'A stored secret: it is valid until it is rotated.',
};

/**
 * Secrets Manager broker: issues the current version of a stored secret and records the version. During a rotation, the
 * pending version may not work yet, so it is never issued. Credentials are marked as degraded, since the issuer neither
 * scopes nor revokes them.
 */
function storedSecretBroker(settings: BrokerSettings<'secrets_manager'>, ports: BrokerPorts): CredentialBroker {
  const { name, secret_id: secretId, region } = settings;
  return {
    name,
    calledBack: 'never',
    async issue(envelope, grant) {
      const versions = ports.clients?.secretVersions;
      if (!versions) throw unavailable(name, 'this function cannot read stored secrets');
      try {
        const found = await versions.get({ secretId, ...(region !== undefined && { region }), stage: current });
        if (!found.stages.includes(current))
          throw new ServiceFault('malformed', 'a version that is not the current one');
        if (found.value === '') throw new ServiceFault('malformed', 'nothing: the secret is empty');
        return {
          record: { ...newRecord(ports, envelope, grant, kind), version_id: found.version_id },
          secret: found.value,
        };
      } catch (thrown) {
        throw brokerError(name, 'Secrets Manager', thrown);
      }
    },
    /** Does nothing: the next rotation invalidates the secret. */
    async revoke() {},
  };
}
