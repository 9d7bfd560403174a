/**
 * Views of the local run: a worker thread with its own database, which receives the text of entries. Callers do not
 * wait for its writes. The database can be rebuilt from evidence at any time (`docs/decisions/0376`).
 */
import { existsSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { textOfEntry } from '#core/evidence/entry-text.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { Observations } from '#core/observatory/ports.ts';
import { ViewsUnavailable } from '#core/observatory/project-entries.ts';
import { errorOf, type ViewAnswer, type ViewsDatabase } from './messages.ts';

export interface Views extends Observations {
  /**
   * Projects entries. An entry that was already projected changes nothing.
   * @throws ViewsUnavailable if the worker or its database is currently unavailable.
   */
  project(entries: readonly EvidenceEntry[]): Promise<void>;
  /** False if the database was incomplete when it was opened, so that it has to be rebuilt from evidence. */
  readonly complete: boolean;
  /** Marks the database as rebuilt. */
  completed(): Promise<void>;
  /** Stops the worker after it finishes its current work. */
  stop(): Promise<void>;
}

interface RunningWorker {
  readonly worker: Worker;
  /** True once the worker has opened its database. */
  ready: boolean;
  readonly asked: Map<number, PromiseWithResolvers<unknown>>;
}

/** Number of times one batch may crash the worker before the batch is considered at fault. */
const mostDeaths = 3;

/**
 * Heap limit for new objects. It is small because a batch becomes garbage once it is stored, and V8 is slow to return
 * memory.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 256 };

/** Returns the worker's file: in a bundle, `views-worker.mjs` next to it; in a checkout, a file next to this one. */
const workerFile = (here: string = import.meta.url): URL =>
  new URL(here.endsWith('.ts') ? './worker.ts' : './views-worker.mjs', here);

/** Opens the views. The worker starts on first use, and restarts if it exits on its own. */
export function openViews(database: ViewsDatabase, report: (message: string) => void): Views {
  const marker = `${database.path}.complete`;
  const complete = existsSync(marker) && existsSync(database.path);
  if (!complete) rmSync(marker, { force: true });
  let running: RunningWorker | undefined;
  let stopped = false;
  let last = 0;
  let deaths = 0;

  function start(): RunningWorker {
    if (stopped) throw new Error('the views have been stopped');
    // V8 prefers this flag of the process to a worker's limit. The heap of this thread keeps its size.
    setFlagsFromString('--max-semi-space-size=0');
    const worker = new Worker(workerFile(), { workerData: database, env: {}, argv: [], resourceLimits });
    const own: RunningWorker = { worker, ready: false, asked: new Map() };
    const ended = (why: string) => {
      if (running !== own) return;
      running = undefined;
      if (own.ready) deaths++;
      for (const { reject } of own.asked.values()) reject(new ViewsUnavailable(why));
      if (own.asked.size > 0 && !stopped) report(`The worker for the views exited and is being restarted: ${why}.`);
      own.asked.clear();
    };
    worker.on('message', (answer: ViewAnswer | 'ready') => {
      if (answer === 'ready') {
        own.ready = true;
        return;
      }
      const asked = own.asked.get(answer.id);
      own.asked.delete(answer.id);
      if (own.asked.size === 0) worker.unref();
      if ('fault' in answer) asked?.reject(errorOf(answer.fault));
      else asked?.resolve(answer.value);
    });
    worker.on('error', (fault) => ended(fault instanceof Error ? fault.message : String(fault)));
    worker.on('exit', () => ended('it ended'));
    worker.unref();
    return own;
  }

  function ask(method: string, args: readonly unknown[]): Promise<unknown> {
    running ??= start();
    const { worker, asked } = running;
    const id = ++last;
    const answer = Promise.withResolvers<unknown>();
    asked.set(id, answer);
    worker.ref();
    worker.postMessage({ id, method, args });
    return answer.promise;
  }

  const read =
    (method: keyof Observations) =>
    async (...args: readonly unknown[]): Promise<never> => {
      try {
        return (await ask(method, args)) as never;
      } catch (thrown) {
        if (!(thrown instanceof ViewsUnavailable)) throw thrown;
        throw new GatewayError('service_unavailable', 'The views cannot be read now; try again shortly.', {
          cause: thrown,
          retryAfterSeconds: 1,
        });
      }
    };

  return {
    async project(entries) {
      try {
        await ask('project', [entries.map(textOfEntry)]);
        deaths = 0;
      } catch (thrown) {
        if (!(thrown instanceof ViewsUnavailable) || deaths < mostDeaths) throw thrown;
        deaths = 0;
        throw new Error(`the worker for the views exited ${mostDeaths} times: ${thrown.message}`, { cause: thrown });
      }
    },
    apply: read('apply'),
    usage: read('usage'),
    violations: read('violations'),
    requests: read('requests'),
    minutes: read('minutes'),
    hours: read('hours'),
    stamps: read('stamps'),
    replaceMinutes: read('replaceMinutes'),
    dimensions: read('dimensions'),

    complete,
    completed: () => writeFile(marker, ''),

    async stop() {
      if (running) await ask('close', []).catch(() => {});
      stopped = true;
      await running?.worker.terminate();
    },
  };
}
