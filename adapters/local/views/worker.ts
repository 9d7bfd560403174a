/** The views worker thread: projects entries into its own database, and serves reads from it. */
import { parentPort, workerData } from 'node:worker_threads';
import { observationsTable } from '#adapters/tables/observations-table.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { projectEntry } from '#core/observatory/project.ts';
import { openStore } from '../sqlite/store.ts';
import { type ViewAnswer, type ViewRequest, type ViewsDatabase, viewFault } from './messages.ts';

const { path, syncs } = workerData as ViewsDatabase;

const store = opened();
const observations = observationsTable({ store });

/** Opens the database. The message of a failure is reported each time the worker is restarted. */
function opened(): ReturnType<typeof openStore> {
  try {
    return openStore({ path, syncs });
  } catch (cause) {
    const why = (cause as Error).message;
    throw new Error(`${path} cannot be opened: ${why}; delete it while the gateway is stopped, and it is rebuilt`, {
      cause,
    });
  }
}

const methods: Readonly<Record<string, (...args: never[]) => Promise<unknown>>> = {
  ...observations,
  project: (texts: readonly string[]) =>
    observations.apply(texts.map((text) => projectEntry(JSON.parse(text) as EvidenceEntry))),
  close: async () => store.close(),
};

async function answerTo({ id, method, args }: ViewRequest): Promise<ViewAnswer> {
  try {
    return { id, value: await methods[method]!(...(args as never[])) };
  } catch (thrown) {
    return { id, fault: viewFault(thrown) };
  }
}

parentPort?.on('message', async (request: ViewRequest) => parentPort?.postMessage(await answerTo(request)));
parentPort?.postMessage('ready');
