/** An observatory's views on two kinds of store. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderArchive } from '#adapters/local/folder-archive.ts';
import { observationsTable } from '#adapters/tables/observations-table.ts';
import { contradictionRows, setAsideRows } from '#adapters/tables/set-aside-rows.ts';
import { logTelemetry } from '#adapters/telemetry/telemetry.ts';
import { type TestStore, testStore } from '../support/store.ts';
import { unannounced } from '../support/unannounced.ts';

const opened: TestStore[] = [];
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'archive-test-'));
});
afterAll(async () => {
  for (const store of opened) store.close();
  await rm(folder, { recursive: true, force: true });
});

export async function setting() {
  const store = testStore();
  opened.push(store);
  const observations = observationsTable({ store });
  const root = join(folder, String(opened.length));
  const lines: string[] = [];
  const telemetry = logTelemetry({ clock: { now: () => 0 }, write: (line) => void lines.push(line), service: 'test' });
  return {
    observations,
    setAside: setAsideRows({ store }),
    contradictions: contradictionRows({ store }),
    clock: { now: () => 0 },
    pause: async () => {},
    archive: folderArchive(root),
    announce: unannounced,
    cover: undefined,
    views: undefined,
    root,
    telemetry,
    lines,
  };
}
