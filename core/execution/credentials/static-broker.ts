/** Static broker: issues a configured secret unchanged. Marked degraded, since it is neither scoped nor expiring. */
import { unavailable } from './fault.ts';
import type { BrokerPorts, CredentialBroker } from './ports.ts';
import { maxCredentialSeconds, newRecord } from './record.ts';

interface StaticSettings {
  readonly name: string;
  readonly secret_env: string;
  readonly credential_type: string;
}

export function staticBroker(settings: StaticSettings, ports: BrokerPorts): CredentialBroker {
  const kind = { type: settings.credential_type, degraded: true, longestSeconds: maxCredentialSeconds };
  return {
    name: settings.name,
    calledBack: 'never',
    async issue(envelope, grant) {
      const secret = await ports.secrets.get(settings.secret_env);
      if (!secret) throw unavailable(settings.name, `${settings.secret_env} holds no value`);
      return { record: newRecord(ports, envelope, grant, kind), secret };
    },
    /** Does nothing: the operator owns the secret and rotates it. */
    async revoke() {},
  };
}
