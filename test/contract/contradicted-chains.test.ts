/** Chains that contradict their evidence: people learn of each one once, others go on, and a restored one ends it. */
import { createHandler as alertsOf } from '#lambdas/alerts/event.ts';
import { createHandler as archiveCheck } from '#lambdas/archive-check/event.ts';
import { caller } from '../support/call-endpoint.ts';
import { type KeptGateway, keptGateway } from '../support/kept-gateway.ts';
import { keys } from '../support/ports.ts';
import { TableAttacker } from '../support/table-attacker.ts';

let gateway: KeptGateway;
let attacker: TableAttacker;
beforeEach(async () => {
  gateway = await keptGateway();
  attacker = new TableAttacker(gateway.store);
});
afterEach(() => gateway.stop());

const admin = 'admin-token-1';
const call = (method: string, path: string, key = admin, body?: unknown) =>
  caller(gateway.ports())(method, path, { key, ...(body !== undefined && { body }) });
async function act(...sessions: readonly string[]): Promise<void> {
  for (const session of sessions)
    await call('POST', '/admin/v1/test-action', keys.agent, {
      ...{ protocol: 'git', tool: 'scm.get_file_contents', target: 'acme/a', capability: 'read' },
      actor: { agent: 'writer', session },
    });
  await gateway.projected();
}
/** Rewrites the whole chain of a session, hashes included. */
async function rewrite(session: string): Promise<void> {
  const entries = await attacker.entries(session);
  await attacker.tell(
    session,
    entries.map((entry) => ({ ...entry, body: { ...entry.body, reason: 'another story' } })),
  );
}
const minute = async (count = 1) => {
  for (let each = 0; each < count; each++) {
    gateway.pass(60);
    await alertsOf(gateway.ports())();
  }
};
const alerts = async () => {
  const all = (await call('GET', '/admin/v1/alerts')).body.alerts as { metric: string; dimension: string }[];
  return all.filter(({ metric }) => metric === 'contradicted').sort((a, b) => (a.dimension < b.dimension ? -1 : 1));
};
const chains = async () => {
  const { status, dependencies } = (await call('GET', '/admin/v1/health/detailed')).body;
  return [status, dependencies.filter(({ name }: { name: string }) => name === 'chains')];
};
const counted = () => /^svc_chains_contradicted_total (\d+)$/m.exec(gateway.telemetry.metricsText())?.[1];

test('[evidence.contradicted] each contradicted chain raises one alert, other chains get their checkpoints, and health names it', async () => {
  await act('a', 'b', 'c');
  await minute();
  expect([await alerts(), await chains(), counted()]).toEqual([[], ['ok', []], undefined]);

  await rewrite('a');
  await rewrite('b');
  await act('a', 'b', 'c');
  await act('a', 'b', 'c');
  await minute(3);
  expect(counted()).toBe('2');
  expect(await alerts()).toMatchObject(
    ['a', 'b'].map((session) => ({
      ...{ type: 'evidence', severity: 'critical', state: 'active', dimension: `session:${session}` },
      evidence: { session_id: session },
    })),
  );
  expect(await gateway.ports().checkpoints.last('default', 'c')).toMatchObject({ point: { index: 5 } });
  expect(await chains()).toMatchObject([
    'degraded',
    [{ kind: 'projection', state: 'degraded', reason: expect.stringContaining('1 more chains do, too') }],
  ]);
});

test('[evidence.contradicted] it ends once the rows are those of the archive again, by the repair or the daily check', async () => {
  await act('a', 'b');
  const rows = { a: await attacker.entries('a'), b: await attacker.entries('b') };
  const heads = { a: await attacker.head('a'), b: await attacker.head('b') };
  for (const session of ['a', 'b']) await rewrite(session);
  await archiveCheck(gateway.ports())();
  await minute();
  const repair = () => call('POST', '/admin/v1/archive/repair?tenant=default&session=a');
  expect((await repair()).body).toMatchObject({
    refused: [{ session_id: 'a', reason: expect.stringContaining('entry 0') }],
  });
  await archiveCheck(gateway.ports())();
  expect((await gateway.ports().contradictions.list('default', 9)).map(({ session_id }) => session_id)).toEqual([
    'a',
    'b',
  ]);
  expect(counted()).toBe('2');

  for (const session of ['a', 'b'] as const) {
    await attacker.tell(session, rows[session]);
    await attacker.setHead(heads[session]);
  }
  expect((await repair()).body).toMatchObject({ refused: [] });
  expect((await gateway.ports().contradictions.list('default', 9)).map(({ session_id }) => session_id)).toEqual(['b']);
  await archiveCheck(gateway.ports())();
  expect(await chains()).toEqual(['ok', []]);
  await minute(5);
  expect(await alerts()).toMatchObject([{ state: 'resolved' }, { state: 'resolved' }]);
});
