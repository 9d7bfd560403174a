/** Issues and revokes leases in HashiCorp Vault through its HTTP API. */
import { ServiceFault } from '#core/execution/credentials/fault.ts';
import type { VaultAccess, VaultClient, VaultLease } from '#core/execution/credentials/ports.ts';
import { type ServiceAnswer, statusFault } from '#core/execution/credentials/service.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { serviceJson } from './service-json.ts';

interface VaultOptions {
  /** @default 10 seconds */
  readonly timeoutMs?: number;
}

export function vaultClient({ timeoutMs = 10_000 }: VaultOptions = {}): VaultClient {
  const call = ({ url, token, namespace }: VaultAccess, method: 'GET' | 'PUT', path: string, body?: object) =>
    serviceJson({
      url: `${url.replace(/\/+$/, '')}/v1/${path}`,
      method,
      headers: {
        'x-vault-token': token,
        // With this header, Vault can refuse requests that a browser was tricked into sending.
        'x-vault-request': 'true',
        ...(namespace !== undefined && { 'x-vault-namespace': namespace }),
      },
      ...(body && { body }),
      timeoutMs,
    });
  return {
    async lease(access, mount, role) {
      const answer = await call(access, 'GET', `${pathOf(mount)}/creds/${pathOf(role)}`);
      if (answer.status !== 200) throw vaultFault(answer);
      return leaseOf(answer.body);
    },

    async renew(access, lease_id, seconds) {
      const answer = await call(access, 'PUT', 'sys/leases/renew', { lease_id, increment: seconds });
      if (answer.status !== 200) throw vaultFault(answer);
      return secondsOf(answer.body?.lease_duration);
    },

    async revoke(access, lease_id) {
      // Synchronous: Vault responds once the database user is deleted.
      const answer = await call(access, 'PUT', 'sys/leases/revoke', { lease_id, sync: true });
      if (answer.status === 204 || answer.status === 200 || isOver(answer)) return;
      throw vaultFault(answer);
    },
  };
}

const pathOf = (path: string): string =>
  path
    .split('/')
    .filter((step) => step !== '')
    .map(encodeURIComponent)
    .join('/');

/**
 * Returns the fault. Vault sends 503 if it is sealed, and a standby without a leader sends 473; both need an operator.
 */
function vaultFault({ status }: ServiceAnswer): ServiceFault {
  if (status === 503) return new ServiceFault('sealed', 'status 503 because it is sealed', status);
  // The token is the gateway's own, so missing rights are not the action's fault.
  return statusFault(status);
}

/** Checks whether Vault no longer has the lease. */
const isOver = ({ status, body }: ServiceAnswer): boolean =>
  status === 404 ||
  (status === 400 &&
    Array.isArray(body?.errors) &&
    body.errors.some((text) => /lease not found|invalid lease/i.test(String(text))));

function leaseOf(body: Readonly<Record<string, unknown>> | undefined): VaultLease {
  const { lease_id, lease_duration, data } = body ?? {};
  if (typeof lease_id !== 'string' || lease_id === '' || !isObject(data))
    throw new ServiceFault('malformed', 'a response without a lease');
  return { lease_id, lease_seconds: secondsOf(lease_duration), data };
}

function secondsOf(value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value;
  throw new ServiceFault('malformed', 'a lease without a duration');
}
