/** Separation of tenants: isolation, secrets and metrics. */

import { caller } from '../support/call-endpoint.ts';
import { configuration, keys, type TestPorts, testPorts } from '../support/ports.ts';
import { useGateway } from '../support/use-gateway.ts';

describe('cells', () => {
  const admin = 'admin-token-1';
  const gateway = useGateway();
  const { call } = gateway;

  test('[admin.whoami] the platform sees all tenants, others see only their own, and no response contains a key', async () => {
    const all = await call('GET', '/admin/v1/tenants', { key: admin });
    expect(all.body.tenants.map(({ id }: { id: string }) => id)).toEqual(['default', 'elsewhere']);
    const own = await call('GET', '/admin/v1/tenants', { key: keys.viewer });
    expect(own.body.tenants).toEqual([expect.objectContaining({ id: 'default', keys: 5 })]);
    expect(all.text).not.toContain(keys.agent);
  });

  test('[supply-chain.in-force] the active pack is listed by digest and changes with the policy', async () => {
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
});

/**
 * The admin surface: a secret in use is sent to no other address, a person cannot act in another tenant, and metrics
 * show no other tenant.
 */
describe('the admin surface', () => {
  const adminToken = 'admin-token-1';
  const key = 'sk-provider-key-in-force';
  const extra = `
providers: [{ name: openai, type: openai, base_url: "https://llm.example/v1", api_key_env: OPENAI_API_KEY, models: ["gpt-*"] }]
executors: { sql: { databases: [{ name: shop, url_env: SHOP_URL }] } }
`;

  let gateway: TestPorts;
  let call: ReturnType<typeof caller>;
  const start = async (more = '', admin?: string) => {
    gateway = await testPorts({
      extra: more,
      ...(admin && { admin }),
      secrets: { OPENAI_API_KEY: key, SHOP_URL: 'x' },
    });
    call = caller(gateway.ports);
  };
  afterEach(() => gateway.stop());

  const put = (text: string) =>
    call('PUT', '/admin/v1/config', { key: adminToken, raw: text, headers: { 'content-type': 'application/yaml' } });

  const evilProvider = (name: string) =>
    `providers: [{ name: evil, type: openai, base_url: "https://evil.example/v1", api_key_env: ${name}, models: ["*"] }]`;

  test.each([
    ['its own key, dropped and entered again', 'OPENAI_API_KEY'],
    ['a connection URL of the SQL executor', 'SHOP_URL'],
    ['the key of capability tickets', 'GATEWAY_TICKET_KEY'],
    ['the key of the Git-host app', 'SCM_KEY'],
  ])('[config.secrets-stay-bound] a provider at another address does not get %s', async (_, name) => {
    await start(extra);
    const without = await put(configuration('providers: [{ name: openai, type: openai, models: ["gpt-*"] }]'));
    expect(without.status).toBe(201);
    const entered = await put(configuration(evilProvider(name)));
    expect(entered).toMatchObject({
      status: 201,
      body: { warnings: expect.arrayContaining([expect.stringContaining(`from the one ${name} was entered for`)]) },
    });
    const { configuration: inForce } = await gateway.ports.snapshots.refresh();
    expect(inForce.providers[0]).not.toHaveProperty('api_key_env');
  });

  test('[config.secrets-stay-bound] a provider at its own address keeps its own key', async () => {
    await start(extra);
    const slower = extra.replace('models:', 'timeout_ms: 50000, models:');
    for (const [text, name] of [
      [slower, 'OPENAI_API_KEY'],
      [evilProvider('EVIL_KEY'), 'EVIL_KEY'],
    ] as const) {
      expect((await put(configuration(text))).status).toBe(201);
      const { configuration: inForce } = await gateway.ports.snapshots.refresh();
      expect(inForce.providers[0]).toHaveProperty('api_key_env', name);
    }
  });

  test('[config.secrets-stay-bound] if secrets come from environment variables, names not listed by the operator are refused', async () => {
    await start(extra);
    call = caller({ ...gateway.ports, listedSecretNames: ['LISTED_KEY'] });
    const refused = await put(configuration(evilProvider('DATABASE_PASSWORD')));
    expect(refused.status).toBe(400);
    expect(refused.body.error.message).toContain('GATEWAY_SECRET_NAMES does not list');
    expect((await put(configuration(evilProvider('LISTED_KEY')))).status).toBe(201);
  });

  test.each([
    ['without tenants has no vote in another', '', 403],
    ['with both tenants named votes there', ', tenants: [default, elsewhere]', 200],
  ])('[identity.person-tenants] a person whose key belongs to one tenant, %s', async (_, tenants, status) => {
    await start();
    const text = configuration()
      .replace(', tenants: [elsewhere], github_login: tess-gh', `${tenants}, github_login: tess-gh`)
      .replace('name: far }', 'name: far }, { key: tess-key, kind: human, person: tess }');
    expect((await put(text)).status).toBe(201);
    const action = { protocol: 'git', tool: 'scm.create_pull_request', target: 'acme/web', capability: 'write' };
    const asked = await call('POST', '/admin/v1/test-action', { key: keys.agent, body: action });
    const vote = await call('POST', `/admin/v1/approvals/${asked.body.envelope_id}/approve`, {
      key: 'tess-key',
      body: { reviewer: 'tess' },
      headers: { 'x-tenant-id': 'default' },
    });
    expect(vote.status).toBe(status);
  });

  test('[admin.metrics] process metrics are available only to the platform', async () => {
    await start();
    gateway.ports.telemetry.count('svc_chat_tokens_total', { direction: 'input' }, 4711);
    expect((await call('GET', '/metrics', { key: keys.viewer })).text).not.toContain('4711');
    expect((await call('GET', '/metrics', { key: adminToken })).text).toContain('4711');
  });
});
