import { keys } from '../support/ports.ts';
import { useGateway } from '../support/use-gateway.ts';

const admin = 'admin-token-1';
const gateway = useGateway();
const { call } = gateway;

test('[admin.whoami] the platform sees all tenants, others their own, and no answer holds a key', async () => {
  const all = await call('GET', '/admin/v1/tenants', { key: admin });
  expect(all.body.tenants.map(({ id }: { id: string }) => id)).toEqual(['default', 'elsewhere']);
  const own = await call('GET', '/admin/v1/tenants', { key: keys.viewer });
  expect(own.body.tenants).toEqual([expect.objectContaining({ id: 'default', keys: 5 })]);
  expect(all.text).not.toContain(keys.agent);
});

test('[supply-chain.in-force] the pack in force is listed by digest, and changes with the policy', async () => {
  const { body } = await call('GET', '/admin/v1/supply-chain', { key: keys.viewer });
  expect(body).toEqual({
    policy_version: 1,
    require_signed: false,
    parts: [
      {
        kind: 'policy_pack',
        name: 'pr-writer',
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        verified: false,
        reason: expect.any(String),
      },
    ],
    acts: [],
  });
  expect((await call('GET', '/admin/v1/supply-chain', { key: keys.agent })).status).toBe(403);
});
