/** Entries missing from the archive: the check names them, and the repair archives them unless they are forged. */
import { createHandler as archiveCheck } from '#lambdas/archive-check/event.ts';
import { keptGateway } from '../support/kept-gateway.ts';
import { keys } from '../support/ports.ts';
import { useStarted } from '../support/use-started.ts';

const gateway = useStarted(() => keptGateway(), 'test');

const _admin = 'admin-token-1';
const { call, read } = gateway;
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
  test('finds no gap in complete sessions, and none in one that was written a moment ago', async () => {
    await sessionWithGap('whole', 8, 8);
    await read('young', 'acme/a');
    expect((await check()).body).toEqual({
      ...{ tenant: 'default', sessions: 2, total_entries: 10, missing_entries: 0, pending_entries: 2 },
      ...{ complete: true, incomplete_sessions: [] },
    });
  });

  test('names the missing entries', async () => {
    await sessionWithGap('s', 3, 5);
    const { body } = await check('&session=s');
    expect(body).toMatchObject({ missing_entries: 3, complete: true });
    expect(body.incomplete_sessions).toMatchObject([{ session_id: 's', missing: [{ from: 3, to: 5 }] }]);
    const { telemetry } = gateway.ports();
    expect(await archiveCheck(gateway.ports())()).toMatchObject({ missing_entries: 3, complete: true });
    expect((telemetry as typeof gateway.telemetry).metricsText()).toContain('svc_archive_missing_entries 3');
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

describe('[evidence.archive.check] the repair', () => {
  test('archives, checkpoints and counts the missing entries, once', async () => {
    await sessionWithGap('s', 0, 1);
    const { observations } = gateway.ports();
    const before = (await observations.usage('default', {})).total;
    expect((await repair()).body).toMatchObject({ archived_entries: 2, refused: [], left_entries: 0 });
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

  test('stays within the given range, and is recorded with its caller', async () => {
    await sessionWithGap('s', 2, 6);
    expect((await repair('&session=s&from=2&to=3')).body).toMatchObject({ archived_entries: 2 });
    expect((await check('&session=s')).body.incomplete_sessions).toMatchObject([{ missing: [{ from: 4, to: 6 }] }]);
    expect(await gateway.ports().checkpoints.last('default', 's')).toMatchObject({ point: { index: 1 } });
    const acts = gateway.queue.filter(({ kind }) => kind === 'admin').map(({ body }) => body);
    expect(acts).toEqual([{ action: 'archive.repair', tenant: 'default', session: 's', from: 2, to: 3 }]);
  });
});
