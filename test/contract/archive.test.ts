/** The archive of evidence: batches of entries, the daily check over several runs, and the repair. */
import { archiveBucket, archiveKey } from '#adapters/aws/archive-bucket.ts';
import type { EntryDraft, Verification } from '#core/contracts/evidence.ts';
import { passesOfAll } from '#core/evidence/archive-progress.ts';
import { firstEntries } from '#core/evidence/bundle.ts';
import { type LiveSession, verifyLive, verifyLiveSteps } from '#core/evidence/live.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { createHandler as archiveCheck } from '#lambdas/archive-check/event.ts';
import { archivedHashes } from '../support/archived-hashes.ts';
import { caller } from '../support/call-endpoint.ts';
import { runs } from '../support/extent.ts';
import { FakeBucket } from '../support/fake-bucket.ts';
import { type KeptGateway, keptGateway } from '../support/kept-gateway.ts';
import { keys } from '../support/ports.ts';
import { TableAttacker } from '../support/table-attacker.ts';
import { useStarted } from '../support/use-started.ts';
import { draft, memoryManifests, seal, signer } from '../unit/evidence/sample.ts';

/** Batches of archived entries: first write, repeated write, and reading a large session. */
describe('batches', () => {
  const chain = (count: number): EntryDraft[] => Array.from({ length: count }, (_, n) => draft('allow', { n }, n));
  const kept = () => {
    const bucket = new FakeBucket(7);
    return { bucket, archive: archiveBucket({ bucket: 'b', client: bucket.client }) };
  };
  async function listOf<T>(source: AsyncIterable<T>): Promise<T[]> {
    const found: T[] = [];
    for await (const each of source) found.push(each);
    return found;
  }
  const tenant = 'default';
  const session = 's-1';

  describe('[evidence.archive] a batch', () => {
    const { entries } = seal(chain(12));

    test('writes one object per run, and the same object again if the run is repeated', async () => {
      const { bucket, archive } = kept();
      await archive.keep(entries);
      const stored = [...bucket.objects];
      expect(stored).toHaveLength(1);
      expect(stored[0]![0]).toBe(`default/s-1/000000000000-000000000011-${entries[11]!.hash}.jsonl`);
      expect(stored[0]![1].split('\n')).toEqual(entries.map((entry) => canonicalize(entry)));
      await archive.keep(entries.toReversed());
      expect([...bucket.objects]).toEqual(stored);
    });

    test('a run that was split differently on retry is read only once', async () => {
      const { bucket, archive } = kept();
      for (const part of [entries.slice(0, 5), entries.slice(3, 9), entries.slice(4, 5), entries.slice(9)]) {
        await archive.keep(part);
      }
      expect(bucket.objects.size).toBe(4);
      expect([...(await archivedHashes(archive, tenant, session))]).toEqual(
        entries.map(({ index, hash }) => [index, [hash]]),
      );
      expect(await listOf(archive.entries(tenant, session, 4))).toEqual(entries.slice(4));
    });

    test('a run is read together with single entries', async () => {
      const { bucket, archive } = kept();
      for (const entry of entries.slice(0, 4)) bucket.objects.set(archiveKey([entry]), canonicalize(entry));
      await archive.keep(entries.slice(4));
      expect(await listOf(archive.entries(tenant, session, 0))).toEqual(entries);
      expect((await archivedHashes(archive, tenant, session)).size).toBe(12);
    });
  });

  describe('[evidence.large-sessions] a session with many thousands of entries', () => {
    const total = runs(50_000, 10_000);
    const runLength = 50;
    const { entries, head } = seal(chain(total));
    const { bucket, archive } = kept();
    /** Read position in the chain: just before this entry. */
    let read = 0;
    /** Number of entries by which the archive read is ahead of the chain. */
    let ahead = 0;
    const source = () =>
      firstEntries(
        (async function* () {
          read = 0;
          for (const entry of entries) {
            read = entry.index;
            yield entry;
          }
        })(),
        total,
      );
    const places = () => {
      const all = archive.hashes(tenant, session);
      return (async function* () {
        for await (const place of all) yield place;
      })();
    };
    const live = (): LiveSession => ({
      head,
      entries: source,
      signer,
      sessionManifests: memoryManifests(),
      witness: {
        archived: { end: total - 1, places, unreadable: String },
        archiveComplete: true,
        notChecked: [],
        at: Date.UTC(2026, 0, 3),
      },
    });

    beforeAll(async () => {
      for (let n = 0; n < total; n += runLength) await archive.keep(entries.slice(n, n + runLength));
      const objects = bucket.objects.get.bind(bucket.objects);
      bucket.objects.get = (key) => {
        ahead = Math.max(ahead, Number(/\/(\d{12})-/.exec(key)?.[1]) - read);
        return objects(key);
      };
    });

    test('is verified against the archive with only a few runs in memory', async () => {
      const { verification } = await verifyLive(live());
      expect(verification).toMatchObject({ valid: true, total_entries: total, archived_entries: total });
      expect(ahead).toBeGreaterThan(0);
      expect(ahead).toBeLessThanOrEqual(10 * runLength);
    });

    test('is listed line by line, each line produced on demand', async () => {
      const steps = verifyLiveSteps(live());
      let lines = 0;
      let early = 0;
      let verdict: Verification | undefined;
      for (let step = await steps.next(); ; step = await steps.next()) {
        if (step.done) {
          verdict = step.value;
          break;
        }
        if (read !== step.value.index) early++;
        lines++;
      }
      expect({ lines, early, valid: verdict.valid }).toEqual({ lines: total, early: 0, valid: true });
    });
  });
});

/**
 * The daily check of the archive over several runs: it resumes from its last position, skips unchanged sessions, and
 * still finds changes.
 */
describe('the daily check', () => {
  let gateway: KeptGateway;
  beforeEach(async () => {
    gateway = await keptGateway();
  });
  afterEach(() => gateway.stop());

  const day = 24 * 3600;
  async function act(session: string): Promise<void> {
    await caller(gateway.ports())('POST', '/admin/v1/test-action', {
      key: keys.agent,
      body: {
        protocol: 'git',
        tool: 'scm.get_file_contents',
        target: 'acme/a',
        capability: 'read',
        actor: { agent: 'writer', session },
      },
    });
  }
  /** Runs the check with two sessions per page, until its time runs out after the given number of pages. */
  const run = (pages = Number.POSITIVE_INFINITY) => {
    const { evidence, clock, ...ports } = gateway.ports();
    let left = pages;
    const now = () => clock.now() + (left > 0 ? 0 : day * 1000);
    const sessions: typeof evidence.sessions = (tenant, page) => {
      left--;
      return evidence.sessions(tenant, { ...page, limit: 2 });
    };
    const bounded = {
      rows: evidence.rows,
      head: evidence.head,
      sessions,
      entries: evidence.entries,
      audit: evidence.audit,
    };
    return archiveCheck({ ...ports, clock: { ...clock, now }, evidence: bounded })();
  };
  const progress = () => gateway.ports().archiveProgress;

  test('[evidence.archive.cursor] a run continues where the last one stopped, and each pass is completed once', async () => {
    for (const session of ['a', 'b', 'c', 'd', 'e']) await act(session);
    await gateway.projected();
    gateway.pass(day);
    expect(await run(1)).toMatchObject({ sessions: 2, complete: false });
    expect(await run(1)).toMatchObject({ sessions: 2, complete: false });
    expect(await run()).toMatchObject({ sessions: 1, complete: true });
    expect(await progress().get()).toMatchObject({ pass: 1, whole: { missing_entries: 0 } });
  });

  test('[evidence.archive.cursor] unchanged sessions are skipped; a change in one is found within a month of daily passes', async () => {
    for (const session of ['a', 'b', 'c', 'd', 'e']) await act(session);
    await gateway.projected();
    gateway.pass(day);
    expect(await run()).toMatchObject({ sessions: 5, complete: true });
    const attacker = new TableAttacker(gateway.store);
    await attacker.setHead({ ...(await attacker.head('b')), last_hash: 'f'.repeat(64) });
    let compared = 0;
    let found = 0;
    for (let pass = 0; pass < passesOfAll; pass++) {
      gateway.pass(day);
      const checked = (await run())!;
      compared += checked.sessions;
      found += checked.contradictions;
    }
    expect([compared, found]).toEqual([5, 1]);
  });

  test('[evidence.archive.cursor] missing copies remain counted, and their session is compared again until the copies exist', async () => {
    await act('a');
    const entries = gateway.queue.splice(0);
    await act('b');
    await gateway.projected();
    for (let times = 0; times < 3; times++) {
      gateway.pass(day);
      expect(await run()).toMatchObject({ missing_entries: 2, complete: true });
    }
    await gateway.projected(entries);
    gateway.pass(day);
    expect(await run()).toMatchObject({ missing_entries: 0 });
  });

  test.each([
    ['damaged', { version: 1, pass: 'x' }],
    [
      'whose cursor is damaged',
      {
        version: 1,
        pass: 1,
        started_at: '2026-01-01T00:00:00.000Z',
        missing_entries: 0,
        readable: true,
        whole: { missing_entries: 0 },
      },
    ],
  ])('[evidence.archive.cursor] progress that is %s is restarted', async (_, stored) => {
    for (const session of ['a', 'b', 'c']) await act(session);
    await gateway.projected();
    gateway.pass(day);
    await run(1);
    await progress().put({
      ...stored,
      ...('started_at' in stored && { place: { tenant: 'default', cursor: '!' } }),
    } as never);
    expect(await run()).toMatchObject({ sessions: 3 });
  });
});

/** Entries missing from the archive: the check lists them, and the repair archives them unless they are forged. */
describe('repair', () => {
  const gateway = useStarted(() => keptGateway(), 'test');

  const _admin = 'admin-token-1';
  const { call, read } = gateway;
  const check = (query = '') => call('GET', `/admin/v1/archive/check?tenant=default${query}`);
  const repair = (query = '') => call('POST', `/admin/v1/archive/repair?tenant=default${query}`);
  const verify = async (session: string) => (await call('GET', `/admin/v1/evidence/sessions/${session}/verify`)).body;

  /**
   * Creates eight entries, of which those from `from` up to `to` never reach the archive, and lets ten minutes pass.
   */
  async function sessionWithGap(session: string, from: number, to: number): Promise<void> {
    for (const target of ['acme/a', 'acme/b', 'acme/c', 'acme/d']) await read(session, target);
    const entries = gateway.queue.splice(0);
    expect(entries).toHaveLength(8);
    await gateway.projected(entries.filter(({ index }) => index < from || index > to));
    gateway.pass(600);
  }

  describe('[evidence.archive.check] the check', () => {
    test('finds no gap in complete sessions or in one that was just written', async () => {
      await sessionWithGap('whole', 8, 8);
      await read('young', 'acme/a');
      expect((await check()).body).toEqual({
        tenant: 'default',
        sessions: 2,
        total_entries: 10,
        missing_entries: 0,
        pending_entries: 2,
        complete: true,
        incomplete_sessions: [],
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

    test('lists a session with a missing head as lost, after those in the table', async () => {
      await sessionWithGap('gone', 8, 8);
      await sessionWithGap('kept', 8, 8);
      await new TableAttacker(gateway.store).remove('gone');
      const named = await check('&session=gone');
      const lost = { session_id: 'gone', total_entries: 0, lost_entries: 8, contradiction: expect.any(String) };
      expect(named.body.incomplete_sessions).toMatchObject([lost]);
      expect((await check('&session=never')).status).toBe(404);
      const found: unknown[] = [];
      let cursor: string | undefined;
      do {
        const { body } = await check(cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`);
        found.push(...body.incomplete_sessions);
        ({ cursor } = body);
      } while (cursor !== undefined);
      expect(found).toMatchObject([lost]);
    });

    test('continues with tenants that are stored as rows', async () => {
      for (const id of ['acme', 'zeta']) await call('PUT', `/admin/v1/tenant-rows/${id}`, undefined, {});
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`;
        const { body } = await call('GET', `/admin/v1/archive/check${query}`);
        seen.push(body.tenant);
        ({ cursor } = body);
      } while (cursor !== undefined);
      expect([...new Set(seen)].slice(-2)).toEqual(['acme', 'zeta']);
    });

    test('only the platform may check and repair the archive', async () => {
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
    test('archives, checkpoints and counts the missing entries exactly once', async () => {
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

    test('stays within the given range, and is recorded along with its caller', async () => {
      await sessionWithGap('s', 2, 6);
      expect((await repair('&session=s&from=2&to=3')).body).toMatchObject({ archived_entries: 2 });
      expect((await check('&session=s')).body.incomplete_sessions).toMatchObject([{ missing: [{ from: 4, to: 6 }] }]);
      expect(await gateway.ports().checkpoints.last('default', 's')).toMatchObject({ point: { index: 1 } });
      const acts = gateway.queue.filter(({ kind }) => kind === 'admin').map(({ body }) => body);
      expect(acts).toEqual([{ action: 'archive.repair', tenant: 'default', session: 's', from: 2, to: 3 }]);
    });
  });
});
