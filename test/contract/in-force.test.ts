/**
 * The malicious operator changes what is in force, not what happened: the pointer of the configuration, digests of keys, spent budgets, risk. Each change
 * is found by a comparison with evidence, which it does not touch.
 */
import { canonicalize, sha256 } from '#core/kernel/canonical.ts';
import { caller } from '../support/call-endpoint.ts';
import { type KeptGateway, keptGateway } from '../support/kept-gateway.ts';
import type { Loose } from '../support/loose.ts';
import { TableAttacker } from '../support/table-attacker.ts';

const configuration = (more = '') => `version: 1
admin: { token_env: GATEWAY_ADMIN_TOKEN }
tenants:
  - id: default
    api_keys:
      - { key: agent-key-1, kind: agent, name: builder, budget: { monthly_usd: 5 } }
      - { key_env: SECOND_KEY, kind: agent, name: second }
      - { key_env: HUMAN_KEY, kind: human, person: alice, role: admin }
people: [{ id: alice, role: admin, tenants: ["*"] }]
providers: [{ name: mock, type: mock, models: [mock, mock-large] }]
routes: [{ match: { model: "mock*" }, providers: [mock] }]
prices: { table: { as_of: 2026-01-01, models: [{ match: "*", source: test, input_usd_per_million: 1000, output_usd_per_million: 4000 }] } }
budgets: { global: { daily_usd: 100 }, tenants: { default: { monthly_usd: 50, models: { "mock-*": { daily_usd: 9 } } } } }
tool_policies: { default_decision: block, rules: [{ protocol: git, tool: "scm.get_*", decision: allow }] }
${more}`;

let gateway: KeptGateway;
let attacker: TableAttacker;
beforeEach(async () => {
  const secrets = { SECOND_KEY: 'second-key-1', HUMAN_KEY: 'human-key-1' };
  gateway = await keptGateway({ configuration: configuration(), secrets });
  attacker = new TableAttacker(gateway.store);
  // A call of the first minute may belong to the period before.
  gateway.pass(3600);
  await put();
});
afterEach(() => gateway.stop());

const call = (method: string, path: string, key: string, more: object = {}) =>
  caller(gateway.ports())(method, path, { key, ...more });
const token = 'admin-token-1';

async function put(more?: string): Promise<number> {
  const { status, body } = await call('PUT', '/admin/v1/config', token, { raw: configuration(more) });
  expect(status).toBe(201);
  return body.version;
}

async function compared(): Promise<Loose> {
  const { status, body } = await call('GET', '/admin/v1/audit/in-force', token);
  expect(status).toBe(200);
  return body;
}

/** A comparison that finds exactly this. */
async function found(): Promise<readonly Loose[]> {
  const { agrees, differences } = await compared();
  expect(agrees).toBe(differences.length === 0);
  return differences;
}

async function chat(model = 'mock'): Promise<void> {
  const body = { model, max_tokens: 50, messages: [{ role: 'user', content: 'many words '.repeat(50) }] };
  expect((await call('POST', '/v1/chat/completions', 'agent-key-1', { body })).status).toBe(200);
}

const refused = async (session: string, nth: number) =>
  call('POST', '/admin/v1/test-action', 'agent-key-1', {
    body: {
      ...{ protocol: 'shell', tool: 'shell.exec', target: `rm -rf /srv/${nth}`, capability: 'delete' },
      ...{ parameters: { command: `rm -rf /srv/${nth}` }, actor: { agent: 'builder', session } },
    },
  });

test('[evidence.in-force] an honest store agrees through versions, rollbacks, keys that are looked up again, calls and refusals', async () => {
  await chat();
  await chat('mock-large');
  for (let nth = 0; nth < 6; nth++) await refused('honest', nth);
  expect(await compared()).toMatchObject({
    ...{ agrees: true, differences: [], not_checked: [] },
    compared: { configuration_acts: 1, keys: 3, budgets: 4, chat_entries: 2, risk_of_keys: 1 },
  });
  await put('cache: { enabled: true }');
  gateway.pass(36 * 3600);
  await call('POST', '/admin/v1/policy-versions/2/rollback', token, { body: {} });
  await call('POST', '/admin/v1/config/refresh-keys', token, { body: {} });
  await chat();
  expect(await found()).toEqual([]);
});

describe('[evidence.in-force] is found:', () => {
  test('the pointer turned back to an earlier version', async () => {
    const [before] = await attacker.rows('config', 'current');
    const later = await put('policies: { input: [{ name: no, type: keyword, action: block, keywords: [x] }] }');
    await attacker.put('config', before!);
    await gateway.ports().snapshots.refresh();
    expect(await found()).toEqual([
      {
        of: 'configuration',
        what: 'the version in force',
        in_force: expect.stringContaining(`version ${later - 1} with SHA-256`),
        evidence: expect.stringMatching(new RegExp(`^config.put at .* put version ${later} in force$`)),
      },
    ]);
  });

  test('a wider grant in a body of the attacker, under the version in force', async () => {
    const { objects, configStore } = gateway.ports();
    const row = (await configStore.current())!;
    const wider = JSON.parse(new TextDecoder().decode(await objects.get(row.sha256)));
    wider.tool_policies.default_decision = 'allow';
    const digest = await objects.put(new TextEncoder().encode(canonicalize(wider)));
    await attacker.set('config', { id: 'current' }, { sha256: digest });
    await attacker.set('config', { id: `version#${row.version}` }, { sha256: digest });
    expect((await gateway.ports().snapshots.refresh()).configuration.tool_policies.default_decision).toBe('allow');
    expect(await found()).toEqual([
      expect.objectContaining({ of: 'configuration', evidence: expect.stringContaining(`SHA-256 ${row.sha256}`) }),
    ]);
  });

  test('a version that no act put in force', async () => {
    const row = (await gateway.ports().configStore.current())!;
    const invented = { ...row, version: row.version + 1 };
    await attacker.put('config', { id: `version#${invented.version}`, ...invented });
    await attacker.set('config', { id: 'current' }, { version: invented.version });
    expect(await found()).toContainEqual(
      expect.objectContaining({ of: 'configuration', evidence: expect.stringContaining('no act of') }),
    );
  });

  test('the row of a version that is not what the pointer has', async () => {
    const { version } = (await gateway.ports().configStore.current())!;
    await attacker.set('config', { id: `version#${version}` }, { created_by: 'another' });
    expect(await found()).toEqual([expect.objectContaining({ evidence: 'the row kept of it is another' })]);
  });

  test.each([
    ['added', { THIRD_KEY: sha256('mine') }, { what: 'THIRD_KEY', evidence: 'no key' }],
    [
      'exchanged',
      { SECOND_KEY: sha256('mine') },
      { what: 'SECOND_KEY', in_force: `key ${sha256('mine').slice(0, 16)}` },
    ],
  ])('the digest of a key %s', async (_, more, difference) => {
    const { keys } = (await gateway.ports().configStore.inForce())!;
    const changed = { ...keys, digests: { ...keys.digests, ...more } };
    await attacker.set('config', { id: 'current' }, { keys: JSON.stringify(changed) });
    expect(await found()).toEqual([
      { of: 'keys', in_force: expect.any(String), evidence: expect.any(String), ...difference },
    ]);
  });

  test('a revoked key that lives again', async () => {
    const before = (await gateway.ports().configStore.inForce())!.keys;
    gateway.setSecret('SECOND_KEY', undefined);
    await call('POST', '/admin/v1/config/refresh-keys', token, { body: {} });
    expect(await found()).toEqual([]);
    await attacker.set('config', { id: 'current' }, { keys: JSON.stringify(before) });
    expect(await found()).toEqual([
      { of: 'keys', what: 'SECOND_KEY', in_force: `key ${sha256('second-key-1').slice(0, 16)}`, evidence: 'no key' },
    ]);
  });

  test('budgets of tenant, model, key and all tenants set back', async () => {
    const before = await attacker.rows('counters', '');
    await chat('mock-large');
    await chat('mock-large');
    expect(await found()).toEqual([]);
    for (const { id } of await attacker.rows('counters', '')) {
      const old = before.find((row) => row.id === id);
      await (old ? attacker.put('counters', old) : attacker.removeRow('counters', { id: String(id) }));
    }
    const accounts = (await found()).map(({ of, what }) => `${of}: ${what}`).sort();
    expect(accounts).toEqual([
      'budget: global of the day',
      expect.stringMatching(/^budget: key:[0-9a-f]{16} of the month$/),
      'budget: tenant of the month',
      'budget: tenant:mock-* of the day',
    ]);
  });

  test('the risk of a session and of its key lowered', async () => {
    // A key serves several sessions, so it takes more to count against it.
    for (let nth = 0; nth < 30; nth++) await refused(nth % 5 === 0 ? 'risky' : `other-${nth % 5}`, nth);
    expect(await found()).toEqual([]);
    const head = await attacker.head('risky');
    expect(head.risk!.score).toBeGreaterThan(0);
    const { risk: _, ...without } = head;
    await attacker.setHead(without);
    const [key] = await attacker.rows('sessions', 'default#key#');
    expect((key!.risk as Loose).score).toBeGreaterThan(0);
    await attacker.put('sessions', { ...key, risk: undefined });
    expect(await found()).toEqual([
      {
        of: 'risk',
        what: 'session risky',
        in_force: 'nothing is counted',
        evidence: expect.stringMatching(/^a score of/),
      },
      expect.objectContaining({ of: 'risk', what: expect.stringMatching(/^key /), in_force: 'a score of 0' }),
    ]);
  });
});

test('[evidence.in-force] only callers of the platform compare what is of all tenants', async () => {
  const { status } = await call('GET', '/admin/v1/audit/in-force', 'human-key-1');
  expect(status).toBe(403);
});
