/**
 * Vault broker: leases database credentials for one action. The record contains the lease id, so that the holder, an
 * administrator or the sweep can revoke the lease from any process.
 */
import type { CredentialRecord } from '#core/contracts/credential.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { brokerError, ServiceFault, unavailable } from './fault.ts';
import type { BrokerPorts, BrokerSettings, CredentialBroker, VaultAccess, VaultClient } from './ports.ts';
import { dueAfterHolder, maxCredentialSeconds, newRecord, withEarlierExpiry } from './record.ts';

type VaultSettings = BrokerSettings<'vault'>;

const kind = { type: 'vault_database', degraded: false, longestSeconds: maxCredentialSeconds };

export function vaultBroker(settings: VaultSettings, ports: BrokerPorts): CredentialBroker {
  const { name, mount, role } = settings;
  const failed = (thrown: unknown): never => {
    throw brokerError(name, 'the vault', thrown);
  };
  return {
    name,
    calledBack: 'by_record',

    async issue(envelope, grant) {
      const { vault, access } = await reach(settings, ports);
      const record = newRecord(ports, envelope, grant, kind);
      const lease = await vault.lease(access, mount, role).catch(failed);
      const { username, password } = lease.data;
      if (typeof username !== 'string' || typeof password !== 'string' || !username || !password) {
        await vault.revoke(access, lease.lease_id).catch(() => {});
        return failed(new ServiceFault('malformed', 'a response without a user name and password'));
      }
      const leaseEnds = isoTime(Date.parse(record.issued_at) + lease.lease_seconds * 1000);
      const leased = withEarlierExpiry({ ...record, lease_id: lease.lease_id }, leaseEnds);
      return {
        record: { ...leased, revoke_due: dueAfterHolder(leased) },
        secret: JSON.stringify({ username, password }),
      };
    },

    async renew(record) {
      const { vault, access } = await reach(settings, ports);
      const now = ports.clock.now();
      const longest = Date.parse(record.issued_at) + maxCredentialSeconds * 1000;
      const left = Math.floor((longest - now) / 1000);
      if (left < 1)
        return failed(new ServiceFault('rejected', 'no renewal: the credential has reached its maximum lifetime'));
      const seconds = await vault.renew(access, leaseOf(record), left).catch(failed);
      return isoTime(Math.min(now + seconds * 1000, longest));
    },

    async revoke(record) {
      const { vault, access } = await reach(settings, ports);
      await vault.revoke(access, leaseOf(record)).catch(failed);
    },
  };

  function leaseOf({ id, lease_id }: CredentialRecord): string {
    return lease_id ?? failed(new ServiceFault('not_found', `nothing for credential ${id}: its record names no lease`));
  }
}

async function reach(
  { name, url, token_env, namespace }: VaultSettings,
  { secrets, clients }: BrokerPorts,
): Promise<{ vault: VaultClient; access: VaultAccess }> {
  if (!clients?.vault) throw unavailable(name, 'this function cannot call a vault');
  const token = await secrets.get(token_env);
  if (!token) throw unavailable(name, `${token_env} contains no token`);
  return { vault: clients.vault, access: { url, token, ...(namespace !== undefined && { namespace }) } };
}
