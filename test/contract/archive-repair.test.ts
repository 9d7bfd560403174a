/** Entries that never came to the archive: the check names them, the repair archives them, and nothing that was forged. */
import { createHandler as archiveCheck } from '#lambdas/archive-check/event.ts';
import { type Answer, caller } from '../support/call-endpoint.ts';
import { type KeptGateway, keptGateway } from '../support/kept-gateway.ts';
import { keys } from '../support/ports.ts';
import { TableAttacker } from '../support/table-attacker.ts';

let gateway: KeptGateway;
beforeEach(async () => {
  gateway = await keptGateway();
});
afterEach(() => gateway.stop());

const admin = 'admin-token-1';
const call = (method: string, path: string, key = admin, body?: unknown): Promise<Answer> =>
  caller(gateway.ports())(method, path, { key, ...(body !== undefined && { body }) });
const read = (session: string, target: string) =>
  call('POST', '/admin/v1/test-action', keys.agent, {
    ...{ protocol: 'git', tool: 'scm.get_file_contents', target, capability: 'read' },
    actor: { agent: 'writer', session },
  });
const check = (query = '') => call('GET', `/admin/v1/archive/check?tenant=default${query}`);
const repair = (query = '') => call('POST', `/admin/v1/archive/repair?tenant=default${query}`);
const verify = async (session: string) => (await call('GET', `/admin/v1/evidence/sessions/${session}/verify`)).body;

/** Eight entries, of which those from `from` up to `to` never came to the archive; ten minutes later. */
async function sessionWithGap(session: string, from: number, to: number): Promise<void> {
  for (const target of ['acme/a', 'acme/b', 'acme/c', 'acme/d']) await read(session, target);
  const entries = gateway.queue.splice(0);
  expect(entries).toHaveLength(8);
  await gateway.projected(entries.filter(({ index }) => index < from || index > to));
  gateway.pass(600);
}

describe('[evidence.archive.check] the check', () => {
  test('finds nothing in sessions that are whole, and nothing missing in one that was written a moment ago', async () => {
    await sessionWithGap('whole', 8, 8);
    await read('young', 'acme/a');
    expect((await check()).body).toEqual({
      ...{ tenant: 'default', sessions: 2, total_entries: 10, missing_entries: 0, pending_entries: 2 },
      ...{ complete: true, incomplete_sessions: [] },
    });
  });

  test.each([
    ['at the beginning', 0, 1],
    ['in the middle', 3, 5],
    ['at the end', 6, 7],
  ])('names what is missing %s', async (_, from, to) => {
    await sessionWithGap('s', from, to);
    const { body } = await check('&session=s');
    expect(body).toMatchObject({ missing_entries: to - from + 1, complete: true });
    expect(body.incomplete_sessions).toMatchObject([{ session_id: 's', missing: [{ from, to }] }]);
    const { telemetry } = gateway.ports();
    expect(await archiveCheck(gateway.ports())()).toMatchObject({ missing_entries: to - from + 1, complete: true });
    expect((telemetry as typeof gateway.telemetry).metricsText()).toContain(
      `svc_archive_missing_entries ${to - from + 1}`,
    );
  });

  test('says when the head names another end than the archive', async () => {
    await sessionWithGap('s', 8, 8);
    const attacker = new TableAttacker(gateway.store);
    await attacker.tell(
      's',
      (await attacker.entries('s')).map((entry) => ({ ...entry, body: { other: true } })),
    );
    expect((await check()).body.incomplete_sessions).toMatchObject([
      { contradiction: 'the archive holds another entry 7 than the head names' },
    ]);
  });

  test('and the repair belong to the platform alone', async () => {
    for (const key of [keys.agent, keys.human, keys.viewer]) {
      expect((await call('GET', '/admin/v1/archive/check', key)).status).toBe(403);
      expect((await call('POST', '/admin/v1/archive/repair', key)).status).toBe(403);
    }
    expect((await repair('&from=1')).status).toBe(400);
    expect((await repair('&session=none')).status).toBe(404);
    expect((await repair('&session=s&from=x')).status).toBeGreaterThanOrEqual(400);
  });
});

describe('[evidence.archive.repair] the repair', () => {
  test.each([
    ['at the beginning', 0, 1],
    ['in the middle', 3, 5],
    ['at the end', 6, 7],
  ])('archives, checkpoints and counts what is missing %s, once', async (_, from, to) => {
    await sessionWithGap('s', from, to);
    const { observations } = gateway.ports();
    const before = (await observations.usage('default', {})).total;
    expect((await repair()).body).toMatchObject({ archived_entries: to - from + 1, refused: [], left_entries: 0 });
    expect((await check('&session=s')).body).toMatchObject({ missing_entries: 0 });
    expect(await verify('s')).toMatchObject({
      valid: true,
      archived_entries: 8,
      not_checked: [],
      checkpoint: { index: 7 },
    });
    expect((await observations.usage('default', {})).total).toBeGreaterThan(before);
    expect((await repair('&session=s')).body).toMatchObject({ archived_entries: 0, refused: [] });
    expect((await observations.usage('default', {})).total).toBe(4);
  });

  test('keeps to the range it is given, and is recorded with who did it', async () => {
    await sessionWithGap('s', 2, 6);
    expect((await repair('&session=s&from=2&to=3')).body).toMatchObject({ archived_entries: 2 });
    expect((await check('&session=s')).body.incomplete_sessions).toMatchObject([{ missing: [{ from: 4, to: 6 }] }]);
    expect(await gateway.ports().checkpoints.last('default', 's')).toMatchObject({ point: { index: 1 } });
    const acts = gateway.queue.filter(({ kind }) => kind === 'admin').map(({ body }) => body);
    expect(acts).toEqual([{ action: 'archive.repair', tenant: 'default', session: 's', from: 2, to: 3 }]);
  });

  test('takes nothing that does not follow the copies beside it', async () => {
    await sessionWithGap('s', 3, 5);
    const attacker = new TableAttacker(gateway.store);
    const story = await attacker.entries('s');
    await attacker.tell(
      's',
      story.map((entry, n) => (n === 4 ? { ...entry, body: { other: true } } : entry)),
    );
    const { body } = await repair('&session=s');
    expect(body).toMatchObject({
      archived_entries: 0,
      refused: [{ session_id: 's', reason: 'entry 5 is not the one that the archived entry 6 follows' }],
    });
    expect((await check('&session=s')).body.incomplete_sessions).toMatchObject([{ missing: [{ from: 3, to: 5 }] }]);
  });

  test('says which rows are gone, and archives what is left before them', async () => {
    await sessionWithGap('s', 3, 6);
    await new TableAttacker(gateway.store).removeEntry('s', 5);
    expect((await repair('&session=s')).body).toMatchObject({
      refused: [{ reason: 'entry 5 is not in the table' }],
    });
    expect(await verify('s')).toMatchObject({ valid: false });
  });
});
