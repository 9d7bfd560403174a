/** Broker dependencies in tests: a manual clock, counted ids, listed secrets. */
import { generateKeyPairSync } from 'node:crypto';
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import type { BrokerPorts, Grant } from '#core/execution/credentials/ports.ts';

export const now = Date.UTC(2026, 0, 1, 0, 0, 0, 500);

export const envelope: ActionEnvelope = {
  envelope_id: 'e1',
  tenant: 'default',
  key_id: 'k1',
  actor: { agent: 'writer', session: 's1' },
  protocol: 'git',
  tool: 'scm.create_pull_request',
  target: 'acme/web',
  capability: 'write',
  parameters: {},
  justification: '',
};

export const grant = (over: Partial<Grant> = {}): Grant => ({
  protocol: 'git',
  tool: 'scm.create_pull_request',
  broker: 'scm',
  scope: 'pull_requests:write,contents:read',
  ttl_seconds: 600,
  ...over,
});

export function brokerPorts(secrets: Readonly<Record<string, string>>): BrokerPorts {
  let count = 0;
  return {
    secrets: { get: async (name) => secrets[name] },
    clock: { now: () => now },
    clients: undefined,
    tickets: undefined,
    ids: { uuid: () => `id-${++count}`, randomHex: (bytes) => '0'.repeat(bytes * 2) },
  };
}

export function rsaKeys(modulusLength = 2048) {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength });
  return { publicKey, pem: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(), privateKey };
}
