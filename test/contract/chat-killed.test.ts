/** A call whose process ended while the provider was asked: the sweep writes its entry once and charges it once. */
import { Turns } from '#core/kernel/turns.ts';
import type { ReserveRequest } from '#core/limits/ports.ts';
import { sweepReservations } from '#lambdas/sweep/event.ts';
import { evidenceOf } from '../support/evidence-of.ts';
import { useGateway } from '../support/use-gateway.ts';

const gateway = useGateway({ extra: 'budgets: { tenants: { default: { monthly_usd: 100 } } }' }, 'test');

const budgets = [
  { account: 'tenant', scope: 'tenant', period: 'month', limit_microusd: 100_000_000 },
] as const satisfies ReserveRequest['limits']['budgets'];
const request: ReserveRequest = {
  ...{ tenant: 'default', id: 'cut', session_id: 's', tokens: 1_040, cost_microusd: 700, limits: { budgets } },
  call: {
    ...{ key_id: 'k', agent: 'writer', operation: 'messages', model: 'fast', resolved_model: 'claude', stream: true },
    ...{ transport: 'http', input_tokens: 40, policy_version: 3, request_id: 'r-1' },
  },
};
const entries = () => evidenceOf(gateway.ports, 's');
const sweep = () => sweepReservations(gateway.ports, new Turns());
const status = () => gateway.ports.counters.status('default', { budgets });

test('[chat.killed] any number of sweeps leaves one entry with the known facts', async () => {
  const { counters } = gateway.ports;
  await counters.reserve(request);
  await counters.begin('default', 'cut');
  await sweep();
  expect(await entries()).toEqual([]);
  gateway.pass(61);
  await Promise.all([sweep(), sweep(), sweep()]);
  await sweep();
  const [entry, ...others] = await entries();
  expect(others).toEqual([]);
  expect(entry).toMatchObject({
    ...{ kind: 'chat', envelope_id: 'cut', actor: { key_id: 'k', agent: 'writer' } },
    body: {
      ...{ operation: 'messages', decision: 'allow', outcome: 'aborted', status: 499, error: 'process_ended' },
      ...{ model: 'fast', resolved_model: 'claude', stream: true, transport: 'http', policy_version: 3 },
      ...{ usage: { input_tokens: 40, output_tokens: 1_000 }, cost_microusd: 700, request_id: 'r-1', latency_ms: 0 },
    },
  });
  expect(await status()).toMatchObject({ open: 0, spend: { [Object.keys((await status()).spend)[0]!]: 700 } });
});

test('[chat.killed] [tenants.rows] the call of a tenant that is a row is swept as well', async () => {
  const { counters, configStore, ledger } = gateway.ports;
  const row = { id: 'acme', revision: 1, changed_at: '2026-01-01T00:00:00Z', changed_by: 'test' };
  const settings = { allowed_models: ['*'], system_prompt: '' };
  const draft = { tenant: 'default', session_id: 'a', timestamp: row.changed_at, kind: 'admin', envelope_id: 'e' };
  const change = { type: 'tenant.put', row: { ...row, settings } } as const;
  await ledger.commit({ draft: { ...draft, actor: { key_id: 'k' }, body: {} } as never, changes: [change] });
  expect(await configStore.tenantRowIds(undefined, 5)).toEqual(['acme']);
  await counters.reserve({ ...request, tenant: 'acme', begun: true });
  gateway.pass(61);
  expect(await sweep()).toBe(1);
  expect(await evidenceOf(gateway.ports, 's', 'acme')).toHaveLength(1);
});

test('[chat.killed] a sweep that dies between the entry and the charge charges it from the entry', async () => {
  const { counters } = gateway.ports;
  await counters.reserve({ ...request, begun: true });
  gateway.pass(61);
  const dies = { ...counters, settle: () => Promise.reject(new Error('killed')) };
  await sweepReservations({ ...gateway.ports, counters: dies }, new Turns());
  expect([(await entries()).length, (await status()).open]).toEqual([1, 1]);
  await sweep();
  expect([(await entries()).length, (await status()).open]).toEqual([1, 0]);
  expect(Object.values((await status()).spend)).toEqual([700]);
});

test('[chat.killed] a call that had not begun, or whose reservation lacks its facts, leaves no entry', async () => {
  const { counters } = gateway.ports;
  await counters.reserve(request);
  const { call: _, ...unnamed } = request;
  await counters.reserve({ ...unnamed, id: 'former', begun: true });
  gateway.pass(61);
  await sweep();
  expect(await entries()).toEqual([]);
  expect((await status()).open).toBe(0);
});

test('[chat.killed] at the start of a gateway every open reservation is that of a dead process', async () => {
  await gateway.ports.counters.reserve({ ...request, begun: true });
  expect(await sweepReservations(gateway.ports, new Turns(), Number.MAX_SAFE_INTEGER)).toBe(1);
  expect(await entries()).toHaveLength(1);
});

test.each([
  ['a tenant without limits', {}],
  ['a tenant whose calls are taken from leases', { requests_per_minute: 100_000 }],
])('[chat.killed] a stream of %s has a reservation in the store, a whole answer need not', async (_, rates) => {
  const { counters } = gateway.ports;
  const free = { ...request, cost_microusd: 0, limits: { ...rates, budgets: [] }, begun: true };
  const whole = { ...request.call!, stream: false };
  for (let i = 0; i < 30; i++) await counters.reserve({ ...free, id: `whole-${i}`, call: whole });
  const before = (await counters.expired('default', Number.MAX_SAFE_INTEGER)).map(({ id }) => id);
  await counters.reserve({ ...free, id: 'stream' });
  const opened = (await counters.expired('default', Number.MAX_SAFE_INTEGER)).map(({ id }) => id);
  expect(opened.filter((id) => !before.includes(id))).toEqual(['stream']);
  gateway.pass(61);
  await sweep();
  expect((await entries()).map(({ envelope_id }) => envelope_id)).toContain('stream');
});
