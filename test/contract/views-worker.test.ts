/** The views of the local run: the same results as on this thread, even if their worker crashes. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openViews, type Views } from '#adapters/local/views/views.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { projectEntries, ViewsUnavailable } from '#core/observatory/project-entries.ts';
import { sampleBlock, sampleEntry } from '../unit/observatory/sample.ts';
import { setting } from './observation-stores.ts';

let folder: string;
const opened: Views[] = [];
const reports: string[] = [];
const views = (path = join(folder, 'views.db')): Views => {
  const made = openViews({ path, syncs: false }, (line) => void reports.push(line));
  opened.push(made);
  return made;
};
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'views-'));
});
afterEach(async () => {
  for (const each of opened.splice(0)) await each.stop();
  await rm(folder, { recursive: true, force: true });
});

const entries = [sampleEntry(0), sampleEntry(1, { kind: 'review' }), sampleBlock(2), sampleBlock(3)];
const answersOf = (observations: Omit<Views, 'project' | 'complete' | 'completed' | 'stop'>) => {
  const span = { from: '2026-01-01T00:00:00.000Z', to: '2026-01-02T00:00:00.000Z' };
  return Promise.all([
    observations.usage('default', {}),
    observations.violations('default', { limit: 1 }),
    observations.requests('default', { since: span.from, limit: 5 }),
    observations.dimensions('default', span),
    observations.minutes('default', { dimension: 'global', ...span }),
    observations.hours('default', { dimension: 'global', ...span }),
  ]);
};

test('[audit.views-worker] the worker returns the same results as the tables, counts each entry once, and keeps its database', async () => {
  const { observations, ...ports } = await setting();
  await projectEntries({ observations, ...ports }, entries);
  const first = views();
  expect(first.complete).toBe(false);
  for (let round = 0; round < 2; round++) await first.project(entries);
  expect(await answersOf(first)).toEqual(await answersOf(observations));
  await first.completed();
  await first.stop();
  const next = views();
  expect(next.complete).toBe(true);
  expect(await next.usage('default', {})).toMatchObject({ total: 4 });
});

test('[audit.views-worker] a refusal keeps its code, and an entry that cannot be projected does not affect others', async () => {
  const own = views();
  await expect(own.violations('default', { limit: 1, cursor: 'no cursor' })).rejects.toMatchObject({
    code: 'invalid_request',
  });
  const broken = sampleEntry(9, { tenant: 'broken', timestamp: 'never' });
  await expect(own.project([broken])).rejects.not.toBeInstanceOf(ViewsUnavailable);
  await own.project(entries);
  expect(await own.usage('default', {})).toMatchObject({ total: 4 });
});

test('[audit.views-worker] a database with another format is left unchanged, and the report says how to rebuild it', async () => {
  const first = views();
  await first.project(entries);
  await first.stop();
  const path = join(folder, 'views.db');
  const db = new DatabaseSync(path);
  db.exec('PRAGMA user_version = 2');
  db.close();
  const before = await readFile(path);
  await expect(views().project(entries)).rejects.toThrow(
    `${path} cannot be opened: its format is 2, and this version reads only format 3; delete it while the gateway is stopped, and it is rebuilt`,
  );
  expect((await readFile(path)).equals(before)).toBe(true);
});

test('[audit.views-worker] while the worker cannot open its database, entries are redelivered and no session is set aside', async () => {
  const { setAside, ...ports } = await setting();
  const away = views(join(folder, 'no-such-folder', 'views.db'));
  const failed = await projectEntries({ ...ports, setAside, views: (own) => away.project(own) }, [entries[0]!]);
  expect(failed).toMatchObject({ from: entries[0], cause: expect.any(ViewsUnavailable) });
  await expect(away.usage('default', {})).rejects.toMatchObject({ code: 'service_unavailable' });
  expect(await setAside.list('default', 10)).toEqual([]);
});

test('[audit.views-worker] while the database cannot be written, the entries of a single session are redelivered, and none is lost', async () => {
  const { setAside, ...ports } = await setting();
  const change = (sql: (table: string) => string) => {
    const db = new DatabaseSync(join(folder, 'views.db'));
    const { number } = db.prepare("SELECT number FROM tables WHERE name = 'observations'").get() as { number: number };
    db.exec(sql(`items_${number}`));
    db.close();
  };
  const projected = async (own: Views, entry: EvidenceEntry) =>
    projectEntries({ ...ports, setAside, views: (all) => own.project(all) }, [entry]);
  const first = views();
  await first.project([entries[0]!]);
  await first.stop();

  change((table) => `CREATE TRIGGER full BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`);
  const full = views();
  const cause = await projected(full, entries[1]!).then((failed) => failed?.cause);
  expect(cause).toBeInstanceOf(ViewsUnavailable);
  expect((cause as Error).message).toContain('the disk is full');
  expect(await full.usage('default', {})).toMatchObject({ total: 1 });
  expect(await setAside.list('default', 10)).toEqual([]);
  await full.stop();

  change(() => 'DROP TRIGGER full');
  const again = views();
  expect(await projected(again, entries[1]!)).toBeUndefined();
  expect(await again.usage('default', {})).toMatchObject({ total: 2 });
});
