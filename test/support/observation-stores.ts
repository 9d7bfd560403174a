/** The views of an observatory over two stores. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { observationsTable } from '#adapters/dynamodb/observations-table.ts';
import { setAsideRows } from '#adapters/dynamodb/set-aside-rows.ts';
import { folderArchive } from '#adapters/local/folder-archive.ts';
import { logTelemetry } from '#adapters/telemetry/telemetry.ts';
import { startDynamo } from './dynamo.ts';
import { unannounced } from './unannounced.ts';

let server: Awaited<ReturnType<typeof startDynamo>>;
let folder: string;
beforeAll(async () => {
  server = await startDynamo();
  folder = await mkdtemp(join(tmpdir(), 'archive-test-'));
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

let stores = 0;
export async function setting() {
  const tables = await server.createTables(`t${++stores}-`);
  const observations = observationsTable({ client: server.client(), tables });
  const root = join(folder, String(stores));
  const lines: string[] = [];
  const telemetry = logTelemetry({ clock: { now: () => 0 }, write: (line) => void lines.push(line), service: 'test' });
  return {
    observations,
    setAside: setAsideRows({ client: server.client(), tables }),
    pause: async () => {},
    archive: folderArchive(root),
    announce: unannounced,
    cover: undefined,
    root,
    telemetry,
    lines,
  };
}
