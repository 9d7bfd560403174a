/**
 * Up to 100,000 tenants as rows, simulated with the product's own code, and the costs that stay the same as with two
 * tenants.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openStore } from '#adapters/local/sqlite/store.ts';
import type { Row } from '#adapters/tables/store.ts';
import { keyPut, tenantPut } from '#adapters/tables/tenant-row-writes.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { contentPolicyFor } from '#core/models/content-policy/compile.ts';
import { snapshotFor } from '#lambdas/middleware/identify.ts';
import { caller, eventTo } from '../support/call-endpoint.ts';
import { runs } from '../support/extent.ts';
import { keys, type TestPorts, testPorts } from '../support/ports.ts';
import { recordedStore } from '../support/store.ts';

const tenants = runs(100_000, 15_000);
const callers = runs(tenants, 12_000);
const admin = { key: 'admin-token-1' };
const stamps = { changed_at: '2026-01-01T00:00:00.000Z', changed_by: 'test' };
const keyOf = (n: number) => `key-of-tenant-${n}-and-more`;
const rowOf = (write: unknown) => (write as { readonly row: Row }).row;

const local = openStore();
const recorded = recordedStore(local);
let gateway: TestPorts;
let before: string | undefined;
beforeAll(async () => {
  gateway = await testPorts({ store: recorded.store });
  before = (await gateway.ports.configStore.current())?.sha256;
  for (let first = 0; first < tenants; first += 1_000) {
    const rows = Array.from({ length: 1_000 }, (_, at) => {
      const id = `tenant-${first + at}`;
      const settings = { allowed_models: ['*'], system_prompt: '' };
      const key = { role: 'operator', kind: 'agent' } as const;
      return [
        rowOf(tenantPut({ id, settings, revision: 1, ...stamps })),
        rowOf(keyPut({ key_sha256: sha256(keyOf(first + at)), tenant: id, settings: key, ...stamps })),
      ];
    });
    await local.putMany('config', rows.flat());
  }
});
afterAll(async () => {
  await gateway?.stop();
  local.close();
});

const identified = (key: string) => snapshotFor(eventTo('GET', '/v1/models', { key }), gateway.ports);
async function readsOf(key: string): Promise<readonly string[]> {
  const from = recorded.calls.length;
  await identified(key);
  return recorded.calls.slice(from).map(({ method }) => method);
}

test('[tenants.at-scale] the configuration and the number of reads per caller are the same as in a gateway without tenant rows', async () => {
  expect((await gateway.ports.configStore.current())?.sha256).toBe(before);
  const { configuration } = await gateway.ports.snapshots.current();
  expect(configuration.tenants.map(({ id }) => id)).toEqual(['default', 'elsewhere']);
  expect(await readsOf(keys.agent)).toEqual([]);
  for (const n of [0, 12_345, tenants - 1]) {
    expect(await readsOf(keyOf(n))).toEqual(['get', 'get']);
    expect(await readsOf(keyOf(n))).toEqual([]);
    const view = await identified(keyOf(n));
    expect(view.configuration.tenants.map(({ id }) => id)).toEqual(['default', 'elsewhere', `tenant-${n}`]);
  }
});

test('[tenants.at-scale] filters are compiled only once for all tenants', async () => {
  const [one, other] = await Promise.all([identified(keyOf(1)), identified(keyOf(2))]);
  const policy = contentPolicyFor(one.configuration, 'tenant-1', gateway.ports);
  expect(contentPolicyFor(other.configuration, 'tenant-2', gateway.ports)).toBe(policy);
});

test('[tenants.at-scale] adding a tenant takes one transaction', async () => {
  const from = recorded.calls.length;
  const answer = await caller(gateway.ports)('PUT', '/admin/v1/tenant-rows/one-more', { ...admin, body: {} });
  expect(answer.status).toBe(201);
  const writes = recorded.calls.slice(from).filter(({ method }) => !['get', 'getMany', 'query'].includes(method));
  expect(writes.map(({ method }) => method)).toEqual(['transact']);
  expect((await gateway.ports.configStore.current())?.sha256).toBe(before);
});

test('[tenants.at-scale] memory does not grow with the number of callers, and callers that have long been idle are read again', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const held = () => {
    collect();
    return process.memoryUsage().heapUsed / 1024 / 1024;
  };
  const heard = async (from: number, to: number) => {
    for (let n = from; n < to; n++) {
      await identified(keyOf(n));
      recorded.calls.length = 0;
    }
    return held();
  };
  const some = await heard(0, 6_000);
  expect((await heard(6_000, callers)) - some).toBeLessThan(6);
  expect(await readsOf(keyOf(callers - 1))).toEqual([]);
  expect(await readsOf(keyOf(0))).toEqual(['get', 'get']);
});
