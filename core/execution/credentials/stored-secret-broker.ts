/**
 * Secrets Manager broker: issues the current version of a stored secret and records the version. During a rotation, the
 * pending version may not work yet and is never issued. Degraded, since the issuer neither scopes nor revokes it.
 */
import { brokerError, ServiceFault, unavailable } from './fault.ts';
import type { BrokerPorts, CredentialBroker } from './ports.ts';
import { maxCredentialSeconds, newRecord } from './record.ts';

interface StoredSecretSettings {
  readonly name: string;
  readonly secret_id: string;
  readonly region?: string | undefined;
}

const current = 'AWSCURRENT';
const kind = {
  type: 'secrets_manager',
  degraded: true,
  longestSeconds: maxCredentialSeconds,
  note: 'A stored secret: it lives until it is rotated.',
};

export function storedSecretBroker(settings: StoredSecretSettings, ports: BrokerPorts): CredentialBroker {
  const { name, secret_id: secretId, region } = settings;
  return {
    name,
    calledBack: 'never',
    async issue(envelope, grant) {
      const versions = ports.clients?.secretVersions;
      if (!versions) throw unavailable(name, 'this function reads no stored secrets');
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
    /** Does nothing: the next rotation invalidates it. */
    async revoke() {},
  };
}
