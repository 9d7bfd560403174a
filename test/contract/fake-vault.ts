/** Vault's HTTP API as the gateway uses it: one database role, and leases that stay until they are revoked. */
import { type LoopbackAnswer, loopback } from '../support/loopback.ts';

export interface FakeVaultOptions {
  readonly token: string;
  readonly role: string;
  readonly leaseSeconds: number;
  readonly namespace?: string;
}

export async function fakeVault({ token, role, leaseSeconds, namespace }: FakeVaultOptions) {
  const leases = new Map<string, { readonly username: string; readonly password: string }>();
  const state = { sealed: false, data: undefined as unknown };
  let made = 0;

  const server = await loopback((call) => {
    if (state.sealed) return errors(503, 'Vault is sealed');
    if (call.headers['x-vault-token'] !== token || call.headers['x-vault-namespace'] !== namespace) {
      return errors(403, 'permission denied');
    }
    const asked = (call.body ? JSON.parse(call.body) : {}) as { lease_id?: string; increment?: number };
    if (call.method === 'GET' && call.path === `/v1/database/creds/${role}`) return lease();
    if (call.method === 'PUT' && call.path === '/v1/sys/leases/revoke') {
      return leases.delete(asked.lease_id ?? '') ? { status: 204 } : errors(400, 'lease not found');
    }
    if (call.method === 'PUT' && call.path === '/v1/sys/leases/renew') {
      if (!leases.has(asked.lease_id ?? '')) return errors(400, 'lease not found');
      const lease_duration = Math.min(asked.increment ?? 0, leaseSeconds);
      return { status: 200, body: { lease_id: asked.lease_id, lease_duration, renewable: true } };
    }
    return errors(403, 'permission denied');
  });

  function lease(): LoopbackAnswer {
    const lease_id = `database/creds/${role}/${String(++made).padStart(24, 'L')}`;
    const data = { username: `v-gw-${role}-${made}`, password: `pa-ss-word-${made}-Ab3` };
    leases.set(lease_id, data);
    return {
      status: 200,
      body: { lease_id, lease_duration: leaseSeconds, renewable: true, data: state.data ?? data },
    };
  }

  return { ...server, leases, state };
}

const errors = (status: number, text: string): LoopbackAnswer => ({ status, body: { errors: [text] } });
