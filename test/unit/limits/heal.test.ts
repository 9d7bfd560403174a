/** Reservations of calls that ended without settlement: the amount charged, and failures handled independently. */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { healReservations, settlementOf } from '#core/limits/heal.ts';
import type { OpenReservation } from '#core/limits/ports.ts';

const lease_expires_at = '2026-01-01T00:01:00.000Z';
const open = (id: string, over: Partial<OpenReservation> = {}): OpenReservation => ({
  id,
  tenant: 't',
  session_id: `s-${id}`,
  from_index: 2,
  tokens: 100,
  cost_microusd: 50,
  begun: false,
  lasted_ms: 0,
  lease_expires_at,
  ...over,
});
const usage = { input_tokens: 1, output_tokens: 20, cache_read_tokens: 300, cache_write_tokens: 4000 };
const entry = (id: string, kind = 'chat', cost_microusd = 7) =>
  ({ kind, envelope_id: id, body: { usage, cost_microusd } }) as unknown as EvidenceEntry;

function world(expired: Record<string, OpenReservation[] | Error>, entries: EvidenceEntry[] = []) {
  const did: unknown[][] = [];
  const logged: unknown[][] = [];
  const ports = {
    counters: {
      expired: async (tenant: string) => {
        const found = expired[tenant] ?? [];
        if (found instanceof Error) throw found;
        return found;
      },
      settle: async (...given: unknown[]) => {
        if (given[1] === 'stuck') throw new Error('down');
        did.push(['settle', ...given]);
      },
      reclaim: async (tenant: string) => void did.push(['reclaim', tenant]),
    },
    evidence: {
      async *rows(...given: unknown[]) {
        did.push(['rows', ...given]);
        yield* entries;
      },
    },
    telemetry: { log: (...given: unknown[]) => void logged.push(given) },
  } as never;
  const settled = () => did.filter(([name]) => name === 'settle').map(([, ...rest]) => rest);
  return { ports, did, logged, settled };
}

test.each<[string, Partial<OpenReservation>, EvidenceEntry[], object, string]>([
  ['its entry', { begun: true }, [entry('c')], { tokens: 4321, cost_microusd: 7, counted: true }, 'from its evidence'],
  ['the call, which had begun', { begun: true }, [], { tokens: 100, cost_microusd: 50, counted: true }, 'in full'],
  [
    'the call, whose entry has no valid cost',
    {},
    [entry('c', 'chat', -1)],
    { tokens: 100, cost_microusd: 50, counted: true },
    'in full',
  ],
  ['nothing, as it had not begun', {}, [], { tokens: 0, cost_microusd: 0, counted: false }, 'released'],
  ['nothing of another call', {}, [entry('d')], { tokens: 0, cost_microusd: 0, counted: false }, 'released'],
  ['nothing of another kind', {}, [entry('c', 'allow')], { tokens: 0, cost_microusd: 0, counted: false }, 'released'],
])('an abandoned reservation is settled based on %s', async (_by, over, entries, settlement, how) => {
  const { ports, did, logged } = world({ t: [open('c', over)] }, entries);
  expect(await healReservations(ports, ['t'])).toBe(1);
  expect(did).toEqual([
    ['rows', 't', 's-c', 2],
    ['settle', 't', 'c', { ...settlement, lease_expires_at }],
    ['reclaim', 't'],
  ]);
  expect(logged).toEqual([['warn', 'expired reservation settled', { tenant: 't', envelope_id: 'c', how }]]);
});

test('[limit.key] a key’s reservation is looked up in its tenant’s evidence and settled for the key', async () => {
  const { ports, did } = world({ 't/k': [open('c/key', { tenant: 't/k' })] }, [entry('c')]);
  expect(await healReservations(ports, ['t/k'])).toBe(1);
  expect(did[0]).toEqual(['rows', 't', 's-c/key', 2]);
  expect(did[1]).toMatchObject(['settle', 't/k', 'c/key', { cost_microusd: 7 }]);
});

test('if one reservation or tenant fails, the failure is logged and the others are settled', async () => {
  const { ports, settled, did, logged } = world({
    broken: new Error('no answer'),
    t: [open('a'), open('stuck'), open('b')],
  });
  expect(await healReservations(ports, ['broken', 't'])).toBe(2);
  expect(settled().map(([, id]) => id)).toEqual(['a', 'b']);
  expect(did.filter(([name]) => name === 'reclaim')).toEqual([
    ['reclaim', 'broken'],
    ['reclaim', 't'],
  ]);
  expect(logged.filter(([level]) => level === 'error').map(([, , fields]) => fields)).toMatchObject([
    { tenant: 'broken' },
    { tenant: 't' },
  ]);
});

test('[limit.rate] tokens read from and written to the provider’s cache count like any other tokens', () => {
  const usage = { input_tokens: 1, output_tokens: 20, cache_read_tokens: 300, cache_write_tokens: 4000 };
  expect(settlementOf({ usage, cost_microusd: 7 })).toEqual({ tokens: 4321, cost_microusd: 7, counted: true });
  expect(settlementOf({ usage: { input_tokens: 1, output_tokens: 2 }, cost_microusd: 0 }).tokens).toBe(3);
});
