/** Circuit breakers shared by a deployment: separate environments that share one DynamoDB [chat.breaker]. */
import fc from 'fast-check';
import { breakersTable } from '#adapters/tables/breakers-table.ts';
import { configTable } from '#adapters/tables/config-table.ts';
import { StoreFault } from '#adapters/tables/store.ts';
import { createSnapshots } from '#core/configuration/store/snapshots.ts';
import type { ProviderEntry } from '#core/contracts/config.ts';
import { sharedStates } from '#core/models/routing/breaker-board.ts';
import { sharedBreakers } from '#core/models/routing/shared-breakers.ts';
import { configurationSchema } from '#features/lazy-configuration.ts';
import { caller } from '../support/call-endpoint.ts';
import { keys } from '../support/ports.ts';
import { providerEntry } from '../support/provider-entry.ts';
import { recordedStore } from '../support/store.ts';
import { useGateway } from '../support/use-gateway.ts';

const gateway = useGateway({
  extra: `
cache: { enabled: false }
providers:
  - { name: mock, type: mock, models: ["mock"] }
  - { name: broken, type: mock, models: ["broken"] }
`,
});

let named = 0;
const entryOf = (breaker: Partial<ProviderEntry['breaker']> = {}): ProviderEntry =>
  providerEntry({ name: `p${named++}`, type: 'mock', breaker });

/** Creates an execution environment; `down` disconnects it from the shared state. */
function environment() {
  const { clock, objects, secrets } = gateway.ports;
  const host = { down: false };
  const store = recordedStore(gateway.store.store, ({ method }, go) =>
    host.down && method !== 'get' ? Promise.reject(new StoreFault(new Error('the store is down'))) : go(),
  );
  const board = breakersTable(store);
  const configStore = { ...configTable(store, board), schema: configurationSchema };
  const snapshots = createSnapshots({ configStore, objects, clock, secrets });
  const breakers = sharedBreakers(board);
  const changes: string[] = [];
  const telemetry = {
    count: (_name: string, { to }: Record<string, string>) => void changes.push(String(to)),
    gauge() {},
    log() {},
  };
  const deps = { clock, telemetry };
  const admit = async (entry: ProviderEntry) => breakers.admit(entry, deps);
  return {
    host,
    store,
    board,
    breakers,
    snapshots,
    changes,
    admit,
    /** Reads the configuration, and with it the shared state. */
    look: () => snapshots.refresh(),
    /** Makes a call and reports its end. Returns false if the call was not admitted. */
    call: async (entry: ProviderEntry, outcome: 'success' | 'fault' | 'nothing'): Promise<boolean> => {
      const admitted = await admit(entry);
      admitted?.settle(outcome);
      await breakers.settled();
      return admitted !== undefined;
    },
  };
}
type Environment = ReturnType<typeof environment>;

/** Simulates ten environments that each see one call fail within a window. */
async function outage(entry: ProviderEntry, others: readonly Environment[] = []): Promise<Environment[]> {
  const fleet = [...others, ...Array.from({ length: 10 - others.length }, environment)];
  for (const each of fleet) await each.call(entry, 'fault');
  return fleet;
}
/** The windows of the shared state start at the clock's half minutes. */
beforeEach(() => gateway.pass(30 - ((gateway.ports.clock.now() / 1000) % 30)));

test('[chat.breaker] a provider that fails once a minute in each environment is tripped for all of them, although no single environment would trip it', async () => {
  const entry = entryOf();
  const fleet = await outage(entry);
  expect(fleet.flatMap(({ changes }) => changes)).toEqual(['open']);
  const [first] = fleet as [Environment];
  expect(await first.call(entry, 'success')).toBe(true); // it has not read the state since
  await first.look();
  expect(await first.admit(entry)).toBeUndefined();
  const fresh = environment();
  await fresh.look();
  expect(await fresh.admit(entry)).toBeUndefined();
  expect(sharedStates(fresh.board, [entry])).toEqual({ [entry.name]: 'open' });
});

test('[chat.breaker] GET /admin/v1/providers shows the shared state without any provider calls', async () => {
  const observatory = environment();
  const [, broken] = (await observatory.look()).configuration.providers as [ProviderEntry, ProviderEntry];
  await outage(broken);
  const breakers = (entries: readonly ProviderEntry[]) => sharedStates(observatory.board, entries);
  gateway.pass(5);
  const call = caller({ ...gateway.ports, snapshots: observatory.snapshots, breakers });
  const { body } = await call('GET', '/admin/v1/providers', { key: keys.human });
  expect(body.providers).toMatchObject([
    { name: 'mock', breaker: 'closed' },
    { name: 'broken', breaker: 'open', health: 'unhealthy' },
  ]);
});

test('[chat.breaker] a failed probe keeps the breaker open for all; if an environment dies, its probe is taken over after the timeout', async () => {
  const entry = entryOf();
  const [a, b] = (await outage(entry)) as [Environment, Environment];
  for (const each of [a, b]) await each.look();
  gateway.pass(15);
  expect(await a.call(entry, 'fault')).toBe(true);
  await b.look();
  expect(await b.admit(entry)).toBeUndefined();
  gateway.pass(15);
  expect(await a.admit(entry)).toBeDefined(); // and never reports back
  await b.look();
  gateway.pass(entry.timeout_ms / 1000);
  expect(await b.admit(entry)).toBeUndefined();
  gateway.pass(6);
  expect(await b.call(entry, 'success')).toBe(true);
  await a.look();
  expect(await a.call(entry, 'success')).toBe(true);
});

test('[chat.breaker] writes are limited: none for successes, ten reports per window, none while the breaker is open', async () => {
  const entry = entryOf({ min_requests: 1_000 });
  const a = environment();
  for (let n = 0; n < 100; n++) await a.call(entry, 'success');
  expect(a.store.calls).toHaveLength(0);
  for (let n = 0; n < 290; n++) {
    await a.call(entry, 'fault');
    if (n % 10 === 0) gateway.pass(1);
  }
  expect(a.store.of('update').length).toBeLessThanOrEqual(10 + 2);

  const other = entryOf();
  const [b] = (await outage(other)) as [Environment];
  await b.look();
  const before = b.store.calls.length;
  for (let n = 0; n < 100; n++) expect(await b.call(other, 'success')).toBe(false);
  expect(b.store.calls).toHaveLength(before);
});

test('[chat.breaker] without the shared state, each environment uses its own breaker, and the configuration can still be read', async () => {
  const entry = entryOf();
  const [a] = (await outage(entry)) as [Environment];
  await a.look();
  a.host.down = true;
  expect((await a.look()).version).toBe(1);
  gateway.pass(15);
  for (let n = 0; n < 10; n++) expect(await a.call(entry, 'fault')).toBe(true);
  expect(await a.call(entry, 'success')).toBe(false);
  gateway.pass(15);
  expect(await a.call(entry, 'success')).toBe(true);
});

test('[chat.breaker] in a steady state, a chat call makes no extra store calls', async () => {
  const ask = async (shared: boolean) => {
    const env = environment();
    const plain = { ...configTable(env.store), schema: configurationSchema };
    const { objects, clock, secrets } = gateway.ports;
    const snapshots = shared ? env.snapshots : createSnapshots({ configStore: plain, objects, clock, secrets });
    const call = caller({ ...gateway.ports, ...(shared && { providerBreakers: env.breakers }), snapshots });
    const body = { model: 'mock', max_tokens: 20, messages: [{ role: 'user', content: 'hello' }] };
    const before = env.store.calls.length;
    const { calls } = await gateway.steps.during(async () => {
      for (let n = 0; n < 3; n++)
        expect((await call('POST', '/v1/chat/completions', { key: keys.agent, body })).status).toBe(200);
    });
    return { calls, looks: env.store.calls.length - before };
  };
  await ask(false); // opens the session
  const alone = await ask(false);
  expect(await ask(true)).toEqual(alone);
  expect(alone.looks).toBe(1);
});

test('[chat.breaker] two environments share at most one probe, and the provider is used again once it recovers', async () => {
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ env: fc.nat(1), outcome: fc.constantFrom('success', 'fault', 'fault', 'nothing') }),
    },
    { weight: 2, arbitrary: fc.record({ env: fc.nat(1), look: fc.constant(true) }) },
    { weight: 1, arbitrary: fc.record({ seconds: fc.integer({ min: 1, max: 20 }) }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const entry = entryOf({ min_requests: 2 });
      const envs = [environment(), environment()] as const;
      for (const each of steps) {
        if ('seconds' in each) gateway.pass(each.seconds);
        else if ('look' in each) await envs[each.env]!.look();
        else await envs[each.env]!.call(entry, each.outcome as 'success');
        const both = await Promise.all(envs.map(async (env) => ({ env, state: env.board.seen(entry.name) })));
        if (both.every(({ state }) => state?.kind === 'open' && state.until_ms <= gateway.ports.clock.now())) {
          const probes = (await Promise.all(envs.map((env) => env.admit(entry)))).filter((one) => one !== undefined);
          expect(probes.length).toBeLessThanOrEqual(1);
          for (const one of probes) one.settle('fault');
          for (const env of envs) await env.breakers.settled();
        }
      }
      gateway.pass(70);
      for (const env of envs) {
        await env.look();
        await env.call(entry, 'success');
        await env.look();
        expect(await env.call(entry, 'success')).toBe(true);
      }
    }),
    { numRuns: 25 },
  );
});

test('[chat.breaker] the same provider is not affected under a different entry', async () => {
  const entry = entryOf();
  const fleet = await outage(entry);
  const [first] = fleet as [Environment];
  await first.look();
  expect(await first.call({ ...entry, timeout_ms: 1_000 }, 'success')).toBe(true);
});

test('[chat.breaker] one failure in twenty calls does not trip the breaker, regardless of the number of environments', async () => {
  const entry = entryOf();
  const fleet = Array.from({ length: 20 }, environment);
  for (let round = 0; round < 20; round++)
    for (const [n, each] of fleet.entries()) await each.call(entry, (n + round) % 20 === 0 ? 'fault' : 'success');
  for (const each of fleet) await each.look();
  expect(sharedStates(fleet[0]!.board, [entry])).toEqual({ [entry.name]: 'closed' });
});
