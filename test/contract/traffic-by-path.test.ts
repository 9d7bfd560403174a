/** Chat calls and violations of the tenants below a path of the organisations, by whom the caller may see. */
import type { DynamoDBRecord } from 'aws-lambda';
import { canonicalize } from '#core/kernel/canonical.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { createHandler as projector } from '#lambdas/project/event.ts';
import { caller } from '../support/call-endpoint.ts';
import { type TestPorts, testPorts } from '../support/ports.ts';
import { unannounced } from '../support/unannounced.ts';
import { sampleChat } from '../unit/observatory/sample.ts';

const configuration = `version: 1
people: [{ id: alice, role: admin, tenants: ["*"] }, { id: bob, role: operator, tenants: [home] }]
tenants:
  - id: home
    api_keys:
      - { key: bob-key-1, kind: human, person: bob, role: operator }
      - { key: alice-key-1, kind: human, person: alice, role: admin, platform: true }
  - { id: shop, api_keys: [{ key: agent-key-1, kind: agent }] }
  - { id: bank, api_keys: [{ key: agent-key-2, kind: agent, role: operator }] }
organizations:
  - id: acme
    teams:
      - id: web
        grants: [{ person: bob, role: viewer }]
        projects: [{ id: shop, environments: [{ id: production, kind: production, tenant: shop }] }]
      - { id: money, projects: [{ id: bank, environments: [{ id: production, kind: production, tenant: bank }] }] }
`;
const blocked = { policy: 'jailbreak', type: 'keyword', action: 'block', phase: 'input', count: 1 };

let gateway: TestPorts;
beforeAll(async () => {
  gateway = await testPorts({ configuration });
  for (const tenant of ['home', 'shop', 'bank', 'bank']) await recordBlocked(tenant);
});
afterAll(() => gateway.stop());

async function recordBlocked(tenant: string): Promise<void> {
  const { clock, ids, ledger } = gateway.ports;
  const { body } = sampleChat(0, { outcome: 'blocked', decision: 'block', status: 403, findings: [blocked] });
  const at = { tenant, session_id: 'chat-1', timestamp: isoTime(clock.now()) };
  const outcome = await ledger.commit({
    draft: { ...at, kind: 'chat', envelope_id: ids.uuid(), actor: { key_id: 'k1' }, body },
  });
  if (!outcome.ok) throw new Error('not committed');
  const entry = canonicalize(outcome.entry);
  const Records = [
    { eventName: 'INSERT', dynamodb: { SequenceNumber: '1', NewImage: { entry: { S: entry } } } },
  ] as DynamoDBRecord[];
  await projector({ ...gateway.ports, archive: { keep: async () => {} }, announce: unannounced })({ Records });
}

/** Every page of a list. */
async function all(route: string, key: string, path?: string) {
  const items: unknown[] = [];
  let counts: Record<string, number> = {};
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const query = new URLSearchParams({ limit: '1', ...(path && { path }), ...(cursor && { cursor }) });
    const { status, body } = await caller(gateway.ports)('GET', `/admin/v1/${route}?${query}`, { key });
    expect([status, body.error]).toEqual([200, undefined]);
    items.push(...(body.requests ?? body.violations));
    counts = body.by_tenant;
    cursor = body.cursor;
  }
  return { found: items.length, counts };
}

test('[admin.traffic-by-path] calls and violations are listed below a path, page by page, and violations counted', async () => {
  for (const route of ['requests', 'violations']) {
    expect((await all(route, 'alice-key-1', 'acme')).found).toBe(3);
    expect((await all(route, 'alice-key-1', 'acme/money')).found).toBe(2);
    expect((await all(route, 'alice-key-1', 'acme/**/production')).found).toBe(3);
    expect((await all(route, 'alice-key-1', 'other')).found).toBe(0);
  }
  expect((await all('violations', 'alice-key-1', 'acme')).counts).toEqual({ shop: 1, bank: 2 });
});

test('[admin.traffic-by-path] without a path the lists are those of the own tenant', async () => {
  expect(await all('violations', 'bob-key-1')).toEqual({ found: 1, counts: { home: 1 } });
  expect((await all('requests', 'bob-key-1')).found).toBe(1);
});

test('[admin.traffic-by-path] a tenant of another team is left out, and calls where the caller only views', async () => {
  expect(await all('violations', 'bob-key-1', 'acme')).toEqual({ found: 1, counts: { shop: 1 } });
  expect((await all('requests', 'bob-key-1', 'acme')).found).toBe(0);
});

test('[admin.traffic-by-path] a malformed path and the cursor of another list are 400', async () => {
  for (const query of ['path=%5Ba', 'path=acme&cursor=nonsense'])
    for (const route of ['requests', 'violations']) {
      const answer = await caller(gateway.ports)('GET', `/admin/v1/${route}?${query}`, { key: 'alice-key-1' });
      expect([answer.status, answer.body.error.type]).toEqual([400, 'invalid_request']);
    }
});
