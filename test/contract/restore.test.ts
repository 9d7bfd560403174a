/**
 * Tables restored to an earlier time: the check reports inconsistencies, and entries are recovered from the archive.
 */
import type { Row } from '#adapters/tables/store.ts';
import type { TableName } from '#core/contracts/tables.ts';
import { tables } from '#features/tables.ts';
import { caller } from '../support/call-endpoint.ts';
import { keptGateway } from '../support/kept-gateway.ts';
import { keys } from '../support/ports.ts';
import { type Served, serve } from '../support/serve.ts';
import { useStarted } from '../support/use-started.ts';
import { Home } from '../unit/agentctl/support.ts';

const gateway = useStarted(() => keptGateway(), 'test');
const home = new Home();
let served: Served;
beforeEach(async () => {
  served = await serve(async ({ method = '', url = '', headers }, response) => {
    const key = headers['x-api-key'] as string;
    const { status, text } = await caller(gateway.ports())(method, url, { key });
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  });
});
afterEach(() => served.stop());
afterAll(() => home.remove());

const agentctl = (...words: string[]) => home.run([...words, '--url', served.url, '--key', 'admin-token-1']);
const check = async (...options: string[]) => {
  const { code, out } = await agentctl('restore', 'check', '--json', ...options);
  const { findings } = JSON.parse(out) as { findings: { check: string; state: string; found: string; todo: string }[] };
  return { code, faults: findings.filter(({ state }) => state === 'fail') };
};

const names = Object.keys(tables) as TableName[];
const tablesNow = () => names.map((name) => [name, gateway.store.scan(name)] as const);
/** Restores the tables to their earlier content; the archive, the checkpoints and the log's objects stay. */
async function restoreTables(rows: ReturnType<typeof tablesNow>): Promise<void> {
  for (const [name, before] of rows) {
    const { partitionKey, sortKey } = tables[name];
    const keyOf = (row: Row) =>
      Object.fromEntries([partitionKey, ...(sortKey ? [sortKey] : [])].map((key) => [key, String(row[key])]));
    for (const row of gateway.store.scan(name)) await gateway.store.store.remove(name, keyOf(row));
    for (const row of before) await gateway.store.store.put(name, row);
  }
}

const publish = async (title: string) =>
  (
    await gateway.call('POST', '/admin/v1/test-action', keys.agent, {
      protocol: 'git',
      tool: 'scm.create_pull_request',
      target: 'acme/a',
      capability: 'write',
      parameters: { title },
      actor: { agent: 'writer', session: 'p' },
    })
  ).body;
const vote = (id: string, verdict: string) =>
  gateway.call('POST', `/admin/v1/approvals/${id}/${verdict}`, keys.human, { reviewer: 'Alice' });

/**
 * Creates two sessions and two approvals. After the tables are copied, a decision is made on the first approval and a
 * session is opened.
 */
async function restored() {
  await gateway.call('POST', '/admin/v1/policy-versions/1/rollback');
  await gateway.read('a', 'acme/a');
  const decided = (await publish('decided')).envelope_id;
  const waiting = (await publish('waiting')).envelope_id;
  await gateway.projected();
  const before = tablesNow();
  for (const target of ['acme/b', 'acme/c']) await gateway.read('a', target);
  await gateway.read('b', 'acme/b');
  expect((await vote(decided, 'approve')).status).toBe(200);
  await gateway.call('POST', '/admin/v1/archive/repair');
  await gateway.projected();
  const { checkpoint } = (await gateway.call('GET', '/admin/v1/evidence/log/checkpoint')).body;
  const published = home.write('checkpoint', checkpoint);
  await restoreTables(before);
  return { decided, waiting, published };
}

test('[evidence.archive.check] [cli.status] a table restored to an earlier point in time is refused until its entries are restored, and the restore is recorded', async () => {
  const { decided, waiting, published } = await restored();
  const refused = await check('--published', published);
  expect(refused.code).toBe(1);
  expect(refused.faults).toMatchObject([
    { check: 'chains', todo: expect.stringContaining('agentctl restore entries') },
    // Each session that lost its end, with the chain check stopping at the first one.
    ...['p', 'admin-default-2026-01-01', 'a'].map((session) => ({
      check: 'archive',
      found: expect.stringContaining(`session ${session}: the table lacks the end`),
      todo: expect.stringContaining('agentctl restore entries'),
    })),
    {
      check: 'archive',
      found: expect.stringContaining('session b: the table lacks the whole session'),
      todo: expect.stringContaining('restore entries'),
    },
    {
      check: 'log',
      found: expect.stringContaining('the log shrank'),
      todo: expect.stringContaining('restore entries'),
    },
  ]);

  const { code, out } = await agentctl('restore', 'entries', '--json');
  expect([code, JSON.parse(out)]).toEqual([0, { put_back_entries: 8, refused: [] }]);
  const act = gateway.queue.filter(({ kind }) => kind === 'admin').map(({ body }) => body);
  expect(act).toEqual([
    {
      action: 'evidence.put_back',
      sessions: expect.arrayContaining([
        { tenant: 'default', session_id: 'a', from: 2, to: 5 },
        { tenant: 'default', session_id: 'b', from: 0, to: 1 },
        { tenant: 'default', session_id: 'p', from: 2, to: 2 },
      ]),
    },
  ]);
  await gateway.projected();
  expect((await gateway.ports().evidence.head('default', 'b'))?.owner_key).toBe(
    (await gateway.ports().evidence.head('default', 'a'))?.owner_key,
  );

  // The row is pending again, but the vote is already recorded in evidence.
  const after = await check('--published', published);
  expect(after.faults).toMatchObject([
    { check: 'approvals', found: expect.stringContaining(decided), todo: expect.stringContaining(`deny ${decided}`) },
  ]);
  expect((await vote(decided, 'deny')).status).toBe(200);
  expect((await vote(waiting, 'approve')).status).toBe(200);
  await gateway.read('a', 'acme/c');
  await gateway.projected();
  expect(await check('--published', published)).toEqual({ code: 0, faults: [] });
  const used = await gateway.call('POST', '/admin/v1/test-action', keys.agent, {
    protocol: 'git',
    tool: 'scm.create_pull_request',
    target: 'acme/a',
    capability: 'write',
    parameters: { title: 'waiting' },
    actor: { agent: 'writer', session: 'p' },
    approval_ref: waiting,
  });
  expect(used.body).toMatchObject({ decision: 'allow', matched_rule: `approved:${waiting}` });
});

test('[evidence.archive.check] a session that went on after the table was restored is refused, and the others are restored', async () => {
  await restored();
  await gateway.read('a', 'acme/z');
  const { code, out } = await agentctl('restore', 'entries', '--json');
  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject({
    put_back_entries: 4,
    refused: [{ session_id: 'a', reason: expect.stringContaining('the session continued') }],
  });
  const acts = gateway.queue.filter(({ kind }) => kind === 'admin').map(({ body }) => body);
  expect(acts).toMatchObject([
    { action: 'evidence.put_back' },
    { action: 'evidence.put_back_refused', refused: [{ session_id: 'a' }] },
  ]);
  expect((await gateway.ports().evidence.head('default', 'a'))?.total_entries).toBe(4);
  expect((await check()).faults).toMatchObject([
    { check: 'chains', found: expect.stringContaining('session a'), todo: expect.stringContaining('runbook') },
    { check: 'archive', found: expect.stringContaining('the archive holds entry 5') },
    { check: 'approvals' },
  ]);
});

test('[evidence.archive.check] nothing is restored or recorded if nothing was lost, or for other callers', async () => {
  await gateway.read('a', 'acme/a');
  await gateway.projected();
  expect((await agentctl('restore', 'entries')).out).toBe('put back: 0 entries\n');
  expect(gateway.queue).toEqual([]);
  const put = (query: string, key = 'admin-token-1') => gateway.call('POST', `/admin/v1/archive/repair?${query}`, key);
  expect((await put('put_back=true', keys.human)).status).toBe(403);
  expect((await put('put_back=yes')).body.error.message).toContain('it must be true');
  expect((await put('put_back=true&session=a&from=1')).status).toBe(400);
  expect((await put('put_back=true&tenant=none')).status).toBe(404);
  expect(gateway.queue).toEqual([]);
});
