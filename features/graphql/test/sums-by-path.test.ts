/** Totals for an organisation path, which are the same over GraphQL and REST. */
import { caller } from '../../../test/support/call-endpoint.ts';
import { spendingLevels } from '../../../test/support/levels.ts';
import type { TestPorts } from '../../../test/support/ports.ts';

let gateway: TestPorts;
beforeAll(async () => {
  gateway = await spendingLevels();
});
afterAll(() => gateway.stop());

test('[admin.by-path] GraphQL returns the same sums as REST for the same tenants', async () => {
  const query = `{
    usage(path: "acme") { tenant tenants requests }
    budgets(path: "acme") { nodes { tenant limitUsd } }
    analytics(path: "acme", dimension: ["global"]) { nodes { dimension buckets { requests } } }
    costRecommendations(path: "acme") { nodes { kind tenant } }
    violations(path: "acme") { byTenant { name } }
  }`;
  const asked = await caller(gateway.ports)('POST', '/admin/v1/graphql', { key: 'bob-key-1', body: { query } });
  expect([asked.status, asked.body.errors]).toEqual([200, undefined]);
  expect(asked.body.data).toEqual({
    usage: { tenant: null, tenants: ['shop'], requests: 1 },
    budgets: {
      nodes: [
        { tenant: null, limitUsd: 100 },
        { tenant: 'shop', limitUsd: 2 },
      ],
    },
    analytics: { nodes: [{ dimension: 'global', buckets: [{ requests: 1 }] }] },
    costRecommendations: { nodes: [{ kind: 'cheaper_model', tenant: null }] },
    violations: { byTenant: [{ name: 'shop' }] },
  });
});
