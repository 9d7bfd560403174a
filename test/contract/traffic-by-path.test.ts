/** Chat calls and violations of the tenants below a path of the organisations, by whom the caller may see. */
import { caller } from '../support/call-endpoint.ts';
import { levels, recordChat } from '../support/levels.ts';
import { useGateway } from '../support/use-gateway.ts';

const blocked = { policy: 'jailbreak', type: 'keyword', action: 'block', phase: 'input', count: 1 };

const gateway = useGateway({ configuration: levels });
beforeAll(async () => {
  const record = { outcome: 'blocked', decision: 'block', status: 403, findings: [blocked] };
  for (const tenant of ['home', 'shop', 'bank', 'bank']) await recordChat(gateway, tenant, record);
});

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

test('[admin.by-path] calls and violations are listed below a path, page by page, and violations counted', async () => {
  for (const route of ['requests', 'violations']) {
    expect((await all(route, 'alice-key-1', 'acme')).found).toBe(3);
    expect((await all(route, 'alice-key-1', 'acme/money')).found).toBe(2);
    expect((await all(route, 'alice-key-1', 'acme/**/production')).found).toBe(3);
    expect((await all(route, 'alice-key-1', 'other')).found).toBe(0);
  }
  expect((await all('violations', 'alice-key-1', 'acme')).counts).toEqual({ shop: 1, bank: 2 });
});

test('[admin.by-path] tenants of other teams are left out, and calls for viewers', async () => {
  expect(await all('violations', 'bob-key-1', 'acme')).toEqual({ found: 1, counts: { shop: 1 } });
  expect((await all('requests', 'bob-key-1', 'acme')).found).toBe(0);
});

test('[admin.by-path] a malformed path and the cursor of another list are 400', async () => {
  for (const query of ['path=%5Ba', 'path=acme&cursor=nonsense'])
    for (const route of ['requests', 'violations']) {
      const answer = await caller(gateway.ports)('GET', `/admin/v1/${route}?${query}`, { key: 'alice-key-1' });
      expect([answer.status, answer.body.error.type]).toEqual([400, 'invalid_request']);
    }
});
