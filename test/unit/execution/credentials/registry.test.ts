/** The sweep of issued credentials, which handles each one independently. */
import { sweepCredentials } from '#core/execution/credentials/registry.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { Loose } from '../../../support/loose.ts';
import { now } from './sample.ts';

test('[store.sweep] a credential that cannot be revoked or recorded does not block the others', async () => {
  const rows: Loose[] = Array.from({ length: 130 }, (_, n) => ({
    id: `c${n}`,
    tenant: 't',
    session_id: 's',
    envelope_id: 'e',
    broker: 'b',
    type: 'x',
    scope: 'y',
    degraded: false,
    issued_at: isoTime(now - 1_000),
    expires_at: isoTime(now + 60_000),
  }));
  const left = new Set(rows);
  const logged: unknown[][] = [];
  const revoke = async ({ id }: Loose) => {
    if (id !== 'c129' && id !== 'c0') throw new Error('refused');
  };
  const revoked = await sweepCredentials({
    clock: { now: () => now },
    credentials: { due: async (_: string, limit: number) => [...left].slice(0, limit) },
    brokers: async () => ({ name: 'b', revoke }),
    telemetry: { log: (...given: unknown[]) => void logged.push(given) },
    ledger: {
      commit: async ({ changes }: Loose) => {
        if (changes[0].id === 'c0') throw new Error('the row is too large');
        left.delete(rows[129]!);
        return { ok: true, head: { last_hash: 'h' } };
      },
    },
  } as never);
  expect(revoked).toBe(1);
  expect(logged.filter(([level]) => level === 'error')).toMatchObject([
    ['error', 'a revoked credential was not recorded', { credential_id: 'c0' }],
  ]);
});
