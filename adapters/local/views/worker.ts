/** The views worker thread: projects entries into its own database, and serves reads from it. */
import { parentPort, workerData } from 'node:worker_threads';
import { observationsTable } from '#adapters/tables/observations-table.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { projectEntry } from '#core/observatory/project.ts';
import { openStore } from '../sqlite/store.ts';
import { type ViewAnswer, type ViewRequest, type ViewsDatabase, viewFault } from './messages.ts';

const { path, syncs } = workerData as ViewsDatabase;

const store = openStore({ path, syncs });
const observations = observationsTable({ store });

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
