/**
 * A malicious operator who changes the active state but not the history: the configuration pointer, key digests, secret
 * bindings, spent budgets, risk, accepted definitions, task sheets, tickets, credentials. A comparison with the
 * evidence, which the operator does not touch, finds each change.
 */
import type { TaskManifest } from '#core/contracts/task-manifest.ts';
import { recordMint } from '#core/execution/credentials/registry.ts';
import { ticketBroker } from '#core/execution/credentials/ticket-broker.ts';
import { canonicalize, sha256 } from '#core/kernel/canonical.ts';
import { noteDefinitions } from '#core/mcp/tools/drift.ts';
import { fingerprintOf } from '#core/mcp/tools/kept-definitions.ts';
import { asListedTool } from '#core/mcp/tools/tool-list.ts';
import { caller } from '../../../test/support/call-endpoint.ts';
import { type KeptGateway, keptGateway } from '../../../test/support/kept-gateway.ts';
import type { Loose } from '../../../test/support/loose.ts';
import { TableAttacker } from '../../../test/support/table-attacker.ts';
import { envelope, grant } from '../../../test/unit/execution/credentials/sample.ts';

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
credentials:
  brokers: [{ name: tickets, type: ticket }]
  grants: [{ broker: tickets, protocol: git, tool: scm.get_file, scope: read, ttl_seconds: 300 }]
upstreams: { mcp: [{ name: files, url: "http://127.0.0.1:9/mcp" }] }
${more}`;

let gateway: KeptGateway;
let attacker: TableAttacker;
beforeEach(async () => {
  const secrets = { SECOND_KEY: 'second-key-1', HUMAN_KEY: 'human-key-1', GATEWAY_TICKET_KEY: 'k'.repeat(40) };
  gateway = await keptGateway({ configuration: configuration(), secrets });
  attacker = new TableAttacker(gateway.store);
  // A call in the first minute may belong to the previous period.
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

/** Returns the findings of a comparison. */
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
      protocol: 'shell',
      tool: 'shell.exec',
      target: `rm -rf /srv/${nth}`,
      capability: 'delete',
      parameters: { command: `rm -rf /srv/${nth}` },
      actor: { agent: 'builder', session },
    },
  });

/** Records a server's definitions in the same way as a conversation with the server. */
const meet = async (...definitions: readonly Loose[]) => {
  const entry = (await gateway.ports().snapshots.current()).configuration.upstreams.mcp[0]!;
  await noteDefinitions(gateway.ports(), { tenant: 'default', key_id: 'k1' }, entry, definitions.map(asListedTool));
};

let sheets = 0;
async function declared(): Promise<TaskManifest> {
  const body = { name: `task ${++sheets}`, tools: ['scm.get_*'], sessions: [`s${sheets}`] };
  const { status, body: sheet } = await call('POST', '/admin/v1/manifests', token, { body });
  expect(status).toBe(201);
  return sheet;
}

/** Mints a capability ticket and returns its id. */
async function minted(): Promise<string> {
  const ports = gateway.ports();
  const { configuration, version } = await ports.snapshots.current();
  const issued = await ticketBroker({ name: 'tickets' }, configuration, { ...ports, clients: undefined }).issue(
    envelope,
    grant({ broker: 'tickets' }),
    { policyVersion: version },
  );
  await recordMint({ ...ports, brokers: async () => undefined }, issued, { key_id: 'k1' });
  return issued.record.id;
}

test('[evidence.in-force] an honest store matches the evidence after new versions, rollbacks, repeated key lookups, calls and refusals', async () => {
  await chat();
  await chat('mock-large');
  for (let nth = 0; nth < 6; nth++) await refused('honest', nth);
  expect(await compared()).toMatchObject({
    agrees: true,
    differences: [],
    not_checked: [],
    compared: { configuration_acts: 1, keys: 3, budgets: 4, chat_entries: 2, risk_of_keys: 1 },
  });
  await put('cache: { enabled: true }');
  gateway.pass(36 * 3600);
  await call('POST', '/admin/v1/policy-versions/2/rollback', token, { body: {} });
  await call('POST', '/admin/v1/config/refresh-keys', token, { body: {} });
  await chat();
  await meet({ name: 'read' }, { name: 'write' });
  await meet({ name: 'read' }, { name: 'write', description: 'Now it writes more.' });
  expect((await call('POST', '/admin/v1/mcp/tools/write/accept', token)).status).toBe(200);
  await declared();
  const gone = await declared();
  await call('DELETE', `/admin/v1/manifests/${gone.id}`, token);
  await minted();
  const revoked = await minted();
  await call('POST', `/admin/v1/tickets/${revoked}/revoke`, token);
  await call('POST', `/admin/v1/credentials/${await minted()}/revoke`, token);
  gateway.pass(65);
  expect(await compared()).toMatchObject({
    agrees: true,
    differences: [],
    not_checked: [],
    compared: { definitions: 2, task_sheets: 1, tickets: 1, credentials: 2 },
  });
});

describe('[evidence.in-force] is found:', () => {
  test('a pointer reset to an earlier version', async () => {
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

  test('a wider grant in a body written by the attacker, under the version in force', async () => {
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

  test('a version in force that no recorded action activated', async () => {
    const row = (await gateway.ports().configStore.current())!;
    const invented = { ...row, version: row.version + 1 };
    await attacker.put('config', { id: `version#${invented.version}`, ...invented });
    await attacker.set('config', { id: 'current' }, { version: invented.version });
    expect(await found()).toContainEqual(
      expect.objectContaining({ of: 'configuration', evidence: expect.stringContaining('no act of') }),
    );
  });

  test("the row of a version other than the pointer's", async () => {
    const { version } = (await gateway.ports().configStore.current())!;
    await attacker.set('config', { id: `version#${version}` }, { created_by: 'another' });
    expect(await found()).toEqual([expect.objectContaining({ evidence: 'the stored copy of the row differs' })]);
  });

  test.each([
    ['added', { THIRD_KEY: sha256('mine') }, { what: 'THIRD_KEY', evidence: 'no key' }],
    [
      'exchanged',
      { SECOND_KEY: sha256('mine') },
      { what: 'SECOND_KEY', in_force: `key ${sha256('mine').slice(0, 16)}` },
    ],
  ])('a key digest that was %s', async (_, more, difference) => {
    const { keys } = (await gateway.ports().configStore.inForce())!;
    const changed = { ...keys, digests: { ...keys.digests, ...more } };
    await attacker.set('config', { id: 'current' }, { keys: JSON.stringify(changed) });
    expect(await found()).toEqual([
      { of: 'keys', in_force: expect.any(String), evidence: expect.any(String), ...difference },
    ]);
  });

  test('a revoked key that is active again', async () => {
    const before = (await gateway.ports().configStore.inForce())!.keys;
    gateway.setSecret('SECOND_KEY', undefined);
    await call('POST', '/admin/v1/config/refresh-keys', token, { body: {} });
    expect(await found()).toEqual([]);
    await attacker.set('config', { id: 'current' }, { keys: JSON.stringify(before) });
    expect(await found()).toEqual([
      { of: 'keys', what: 'SECOND_KEY', in_force: `key ${sha256('second-key-1').slice(0, 16)}`, evidence: 'no key' },
    ]);
  });

  test('reset budgets for the tenant, the model, the key and all tenants', async () => {
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

  test('lowered risk scores for a session and its key', async () => {
    // A key serves several sessions, so a higher total is needed to count against it.
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

  test('a secret binding widened to another address', async () => {
    const { revision, names } = await gateway.ports().configStore.bindings();
    const [row] = await attacker.rows('config', 'bindings');
    expect([Object.keys(names), row]).toEqual([expect.arrayContaining(['SECOND_KEY']), expect.anything()]);
    const wider = { ...names, SECOND_KEY: [...names.SECOND_KEY!, 'https://attacker.example'] };
    await attacker.put('config', { ...row, names: JSON.stringify(wider) });
    expect((await gateway.ports().configStore.bindings()).names).toEqual(wider);
    expect(await found()).toEqual([expect.objectContaining({ of: 'binding', what: 'SECOND_KEY' })]);
    expect(revision).toBeGreaterThan(0);
  });

  describe('a definition', () => {
    const poisoned = { name: 'read', description: 'Reads, after the keys.' };
    const row = async () => (await attacker.rows('mcp', 'tools#files'))[0] as Loose;

    test('accepted only in its row', async () => {
      await meet({ name: 'read' });
      await meet(poisoned);
      const { tools, ...rest } = await row();
      const { changed: _, ...mark } = tools.read;
      const fingerprint = fingerprintOf(poisoned);
      await attacker.put('mcp', { ...rest, tools: { read: { ...mark, fingerprint } } });
      expect(await found()).toEqual([
        {
          of: 'definition',
          what: 'read of files',
          in_force: expect.stringContaining(`definition ${fingerprint} has been accepted since`),
          evidence: 'no act of default on that day accepts it',
        },
      ]);
    });

    test('accepted in a row that names no act', async () => {
      await meet({ name: 'read' });
      const { tools, ...rest } = await row();
      const { recorded: _, ...mark } = tools.read;
      await attacker.put('mcp', { ...rest, tools: { read: mark } });
      expect(await found()).toEqual([
        expect.objectContaining({ what: 'read of files', evidence: 'its row names no act that accepts it' }),
      ]);
    });

    test('a tool whose server row was deleted, so that the tool appears to be new', async () => {
      await meet({ name: 'read' });
      gateway.pass(26 * 3600);
      await attacker.removeRow('mcp', { id: 'tools#files' });
      await meet(poisoned);
      expect(await found()).toEqual([
        expect.objectContaining({
          of: 'definition',
          what: 'read of files',
          evidence: expect.stringMatching(/^mcp\.met at .* by k1 already names the tool$/),
        }),
      ]);
    });
  });

  describe('a task sheet', () => {
    const rowId = ({ id }: TaskManifest) => `task#${id}`;
    const widened = (sheet: TaskManifest) => JSON.stringify({ ...sheet, tools: ['*'] });

    test('widened in its row', async () => {
      const sheet = await declared();
      await attacker.set('manifests', { tenant: 'default', id: rowId(sheet) }, { manifest: widened(sheet) });
      expect(await found()).toEqual([expect.objectContaining({ of: 'task_sheet', what: sheet.id })]);
    });

    test('widened for its bound session', async () => {
      const sheet = await declared();
      const [session] = sheet.sessions!;
      const bound = { [`at#${sheet.id}`]: widened(sheet) };
      await attacker.set('manifests', { tenant: 'default', id: `session#${session}` }, bound);
      expect(await found()).toEqual([expect.objectContaining({ what: `${sheet.id} in session ${session}` })]);
    });

    test('taken away', async () => {
      const sheet = await declared();
      gateway.pass(120);
      await attacker.removeRow('manifests', { tenant: 'default', id: rowId(sheet) });
      expect(await found()).toEqual([expect.objectContaining({ what: sheet.id, in_force: 'the sheet is missing' })]);
    });

    test('a deleted manifest that was restored', async () => {
      const sheet = await declared();
      const before = (await attacker.rows('manifests', '')).filter(({ tenant }) => tenant === 'default');
      await call('DELETE', `/admin/v1/manifests/${sheet.id}`, token);
      for (const each of before) await attacker.put('manifests', each);
      expect(await found()).toEqual([
        expect.objectContaining({ what: sheet.id, evidence: expect.stringContaining('manifest.delete') }),
      ]);
    });

    test('a widened manifest from a first request, and drift that no human accepted', async () => {
      await refused('bound', 1);
      const head = await attacker.head('bound');
      await attacker.setHead({ ...head, first_request: { recipients: ['*'] }, accepted_drift: ['0'.repeat(32)] });
      expect((await found()).map(({ of, what }) => [of, what])).toEqual([
        ['session', expect.stringContaining('accepted beyond its task sheets')],
        ['session', expect.stringContaining('the task sheet of its first request')],
      ]);
    });
  });

  describe('a capability ticket', () => {
    const ticketRow = async (id: string) =>
      (await attacker.rows('credentials', id)).find(({ nonce }) => nonce) as Loose;

    test('minted only in its row', async () => {
      const row = await ticketRow(await minted());
      const id = gateway.ports().ids.uuid();
      await attacker.put('credentials', { ...row, id, kept_in: row.kept_in });
      gateway.pass(65);
      const all = await found();
      expect(all.filter(({ what }) => what === id)).toEqual([
        expect.objectContaining({ of: 'ticket', evidence: 'no entry says that it was minted' }),
      ]);
      expect(all).toHaveLength(1);
    });

    test('a ticket changed to another resource, and a revoked ticket that is valid again', async () => {
      const [changed, used] = [await minted(), await minted()];
      const before = await ticketRow(used);
      expect((await call('POST', `/admin/v1/credentials/${used}/revoke`, token)).status).toBe(200);
      await attacker.put('credentials', before);
      const row = await ticketRow(changed);
      await attacker.put('credentials', { ...row, resource: 'acme/secrets' });
      gateway.pass(65);
      expect((await found()).map(({ of, what }) => [of, what]).sort()).toEqual(
        [
          ['ticket', changed],
          ['ticket', used],
        ].sort(),
      );
    });

    test('a result whose credential has no row or has a wider scope', async () => {
      const [gone, wider] = [await minted(), await minted()];
      const rows = (await attacker.rows('credentials', '')).filter(({ nonce }) => !nonce) as Loose[];
      const [first, second] = [gone, wider].map((id) => rows.find((row) => row.id === id)!);
      await attacker.removeRow('credentials', { kept_in: first!.kept_in, id: gone });
      await attacker.put('credentials', { ...second, scope: 'admin' });
      expect((await found()).map(({ of, what, in_force }) => [of, what, in_force]).sort()).toEqual(
        [
          ['credential', gone, 'the row is missing'],
          ['credential', wider, expect.stringContaining('a credential that is good until')],
        ].sort((one, other) => (String(one[1]) < String(other[1]) ? -1 : 1)),
      );
    });
  });
});

test('[evidence.in-force] a credential issued to a caller for its own use matches the result of its action; one with a wider scope does not', async () => {
  const body = {
    protocol: 'git',
    tool: 'scm.get_file',
    target: 'acme/site',
    capability: 'read',
    parameters: {},
    actor: { agent: 'builder', session: 'own-use' },
  };
  const got = await call('POST', '/admin/v1/test-action', 'agent-key-1', { body });
  expect(got.body).toMatchObject({ decision: 'allow', credential: expect.anything() });
  gateway.pass(65);
  expect(await compared()).toMatchObject({ agrees: true, differences: [], compared: { credentials: 1 } });
  const [row] = (await attacker.rows('credentials', '')).filter(({ nonce }) => !nonce) as Loose[];
  await attacker.put('credentials', { ...row, scope: 'admin' });
  expect(await found()).toEqual([expect.objectContaining({ of: 'credential', what: row!.id })]);
});

test('[evidence.in-force] with a thousand tenants, only those of platform callers and some others are checked, and the report says so', async () => {
  const others = Array.from(
    { length: 1_000 },
    (_, n) => `  - { id: t${n}, api_keys: [{ key: key-of-tenant-${n}, name: k }] }`,
  );
  const home =
    '  - { id: home, api_keys: [{ key: platform-key-1, name: p, kind: service, role: admin, platform: true }] }';
  const raw = configuration().replace('people:', `${[...others, home].join('\n')}\npeople:`);
  const stored = await call('PUT', '/admin/v1/config', token, { raw });
  expect(stored.status).toBe(201);
  expect((await call('PUT', '/admin/v1/config', 'platform-key-1', { raw: `${raw}\n` })).status).toBe(201);
  const { evidence } = gateway.ports();
  const read: string[] = [];
  const counted = {
    ...evidence,
    entries: (tenant: string, ...rest: [string, number?]) => {
      read.push(tenant);
      return evidence.entries(tenant, ...rest);
    },
  };
  const answer = await caller({ ...gateway.ports(), evidence: counted })('GET', '/admin/v1/audit/in-force', {
    key: token,
  });
  expect(answer.body).toMatchObject({ agrees: true });
  expect(answer.body.not_checked).toContain('configuration: acts of 602 tenants that no platform caller belongs to');
  expect([new Set(read).size, read.includes('home')]).toEqual([400, true]);
});

test('[evidence.in-force] only platform callers can compare data across all tenants', async () => {
  const { status } = await call('GET', '/admin/v1/audit/in-force', 'human-key-1');
  expect(status).toBe(403);
});
