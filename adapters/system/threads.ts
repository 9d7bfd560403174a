/** Runs calls in worker threads, one call per thread at a time, and ends a thread whose call runs too long. */
import { Worker } from 'node:worker_threads';

/** Error for a call that ran too long, or waited too long for a thread. */
export class ThreadLate extends Error {
  readonly why: 'late' | 'busy';

  constructor(why: ThreadLate['why'], message: string) {
    super(message);
    this.why = why;
  }
}

interface ThreadsOptions {
  /** Name used in messages, e.g. `the WASM module ran longer than 100 ms`. */
  readonly what: string;
  /** Maximum heap of a thread in megabytes; a thread that exceeds it is ended. @default no separate limit */
  readonly heapMb?: number;
}

interface Threads<Call, Answer> {
  /**
   * Runs a call. Its time starts when a thread takes it.
   * @throws ThreadLate, or another Error, if time ran out, the thread died, or no thread became free within five
   * seconds.
   */
  run(call: Call, timeoutMs: number): Promise<Answer>;
  /** Ends all threads; running calls fail. */
  stop(): Promise<void>;
}

interface Job<Call, Answer> {
  readonly call: Call;
  readonly timeoutMs: number;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (fault: Error) => void;
  /** Ends the pending or running call. The timer keeps the process alive; the threads do not. */
  timer?: NodeJS.Timeout;
}

interface Thread<Call, Answer> {
  readonly worker: Worker;
  ready: boolean;
  job: Job<Call, Answer> | undefined;
}

const maxWaitMs = 5_000;
/** Heap limit for new objects: large enough for long text, but smaller than V8's default. */
const maxYoungGenerationSizeMb = 24;

/**
 * @param file a worker that sends one message once it is ready, and one response per message.
 * @param count number of threads, which start on the first call and are restarted immediately if they exit.
 */
export function threads<Call, Answer>(
  file: URL,
  count: number,
  { what, heapMb }: ThreadsOptions,
): Threads<Call, Answer> {
  const all = new Set<Thread<Call, Answer>>();
  const waiting: Job<Call, Answer>[] = [];
  let stopped = false;

  const start = (): void => {
    // No environment: a thread that runs untrusted code or reads untrusted text must have no secrets.
    const resourceLimits = {
      maxYoungGenerationSizeMb,
      ...(heapMb !== undefined && { maxOldGenerationSizeMb: heapMb }),
    };
    const worker = new Worker(file, { env: {}, argv: [], resourceLimits });
    const thread: Thread<Call, Answer> = { worker, ready: false, job: undefined };
    all.add(thread);
    worker.on('message', (answer: Answer) => {
      if (thread.job) finish(thread).resolve(answer);
      thread.ready = true;
      const next = waiting.shift();
      if (next) begin(thread, next);
    });
    worker.on('error', (fault) => end(thread, fault as Error));
    worker.on('exit', () => end(thread, new Error(`the worker for the ${what} exited`)));
    worker.unref(); // last, because listening keeps the process alive again
  };

  const begin = (thread: Thread<Call, Answer>, job: Job<Call, Answer>): void => {
    clearTimeout(job.timer);
    thread.job = job;
    job.timer = setTimeout(() => {
      // A response may have arrived while this process was busy; messages are read before this runs.
      setImmediate(() => {
        if (thread.job === job) end(thread, new ThreadLate('late', `the ${what} ran longer than ${job.timeoutMs} ms`));
      });
    }, job.timeoutMs);
    thread.worker.postMessage(job.call);
  };

  const finish = (thread: Thread<Call, Answer>): Job<Call, Answer> => {
    const job = thread.job!;
    clearTimeout(job.timer);
    thread.job = undefined;
    return job;
  };

  /**
   * Ends a thread. A thread that never became ready is not restarted before the next call, because it would fail in the
   * same way.
   */
  const end = (thread: Thread<Call, Answer>, why: Error): void => {
    if (!all.delete(thread)) return;
    void thread.worker.terminate();
    if (thread.job) finish(thread).reject(why);
    if (thread.ready && !stopped) start();
    if (all.size === 0) for (const job of waiting.splice(0)) giveUp(job, why);
  };

  const giveUp = (job: Job<Call, Answer>, why: Error): void => {
    clearTimeout(job.timer);
    job.reject(why);
  };

  const wait = (job: Job<Call, Answer>): void => {
    waiting.push(job);
    job.timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(job), 1);
      job.reject(new ThreadLate('busy', `no worker for the ${what} became free within ${maxWaitMs} ms`));
    }, maxWaitMs);
  };

  return {
    run: (call, timeoutMs) =>
      new Promise((resolve, reject) => {
        if (stopped) throw new Error(`the workers of the ${what} have been stopped`);
        while (all.size < count) start();
        const job = { call, timeoutMs, resolve, reject };
        const free = [...all].find(({ ready, job: taken }) => ready && !taken);
        if (free) begin(free, job);
        else wait(job);
      }),

    stop: async () => {
      stopped = true;
      const ended = [...all].map(({ worker }) => worker.terminate());
      for (const thread of [...all]) end(thread, new Error(`the workers of the ${what} have been stopped`));
      await Promise.all(ended);
    },
  };
}
