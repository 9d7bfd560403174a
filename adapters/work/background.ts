/**
 * Runs a process's heavy work for many callers in worker threads, with limits on time and memory (decision 0044). Text,
 * calls and configurations that take longer are refused; if reading a call's effects takes longer, the effects are
 * treated as unclear. The thread is ended and replaced.
 */
import { type CallWork, isLarge } from '#core/actions/call-work.ts';
import type { LoadedConfiguration } from '#core/configuration/load/load.ts';
import type { OwnPrograms } from '#core/contracts/config/catalog.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { Effects } from '#core/effects/ports.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { Telemetry } from '#core/kernel/ports.ts';
import type { TextWork } from '#core/models/content-policy/text-work.ts';
import { ThreadLate, threads } from '../system/threads.ts';
import type { Job, JobKind, JobResult, Jobs } from './jobs.ts';

/**
 * Limits, set to ten times what the largest harmless work needs. Input that takes longer is assumed to be designed to cause
 * work.
 */
const workLimits = {
  textsMs: 5_000,
  effectsMs: 1_000,
  callsMs: 5_000,
  configurationMs: 30_000,
  heapMb: 256,
  threads: 2,
  callCharacters: 2 * 1024,
} as const;

export interface BackgroundOptions {
  readonly telemetry: Pick<Telemetry, 'count'>;
  /** Reads the effects of a small call. */
  readonly effects: (call: ToolCall, programs?: OwnPrograms) => Promise<Effects>;
  /** Folder of the shipped packs. */
  readonly packs: string;
  readonly limits?: Readonly<Record<'textsMs' | 'effectsMs' | 'callsMs' | 'configurationMs', number>>;
}

export interface Background {
  readonly texts: TextWork;
  readonly calls: CallWork;
  /** Reads the effects. Never rejects because of the call itself. */
  effects(call: ToolCall, programs?: OwnPrograms): Promise<Effects>;
  /** Works like `loadConfiguration`. @throws GatewayError also `payload_too_large` and `service_unavailable`. */
  configuration(text: string, file?: string): Promise<LoadedConfiguration>;
  stop(): Promise<void>;
}

/**
 * Returns the worker's file: in a bundle, `work-worker.mjs` next to it (bundle.mjs); in a checkout, a file next to this
 * one.
 */
const workerFile = (here: string = import.meta.url): URL =>
  new URL(here.endsWith('.ts') ? './worker.ts' : './work-worker.mjs', here);

/** Returns a runner. It uses no resources until the first large text or call starts the threads. */
export function backgroundWork({ telemetry, effects, packs, limits = workLimits }: BackgroundOptions): Background {
  const pool = threads<Job, JobResult>(workerFile(), workLimits.threads, {
    what: 'work',
    heapMb: workLimits.heapMb,
  });
  const run = async <Kind extends JobKind>(
    kind: Kind,
    given: Jobs[Kind]['given'],
    ms: number,
  ): Promise<Jobs[Kind]['answer']> => {
    try {
      const answer = await pool.run({ kind, given } as Job, ms);
      if ('error' in answer) throw jobFault(answer);
      telemetry.count('svc_heavy_work_total', { kind, outcome: 'done' });
      return answer.value as Jobs[Kind]['answer'];
    } catch (fault) {
      telemetry.count('svc_heavy_work_total', { kind, outcome: jobOutcome(fault) });
      throw fault;
    }
  };
  /** Runs work and refuses its caller if the work takes too long. */
  const refusing = async <Kind extends JobKind>(
    kind: Kind,
    given: Jobs[Kind]['given'],
    ms: number,
    what: RefusalTexts,
  ): Promise<Jobs[Kind]['answer']> => {
    try {
      return await run(kind, given, ms);
    } catch (fault) {
      throw refusalOfLateWork(fault, ms, what);
    }
  };
  const { textsMs, callsMs, configurationMs } = limits;
  return {
    texts: {
      check: (job) => refusing('texts', job, textsMs, refusals.texts),
      turn: () => new Promise((resolve) => setImmediate(resolve)),
    },
    calls: {
      evaluate: (job) => refusing('evaluate', job, callsMs, refusals.call),
      decide: (job) => refusing('decide', job, callsMs, refusals.call),
      explain: (job) => refusing('explain', job, callsMs, refusals.call),
      diff: (job) => refusing('diff', job, configurationMs, refusals.diff),
      redact: (job) => refusing('redact', job, callsMs, refusals.result),
      lookOver: (outcome, secrets, guard) => refusing('result', { outcome, secrets, guard }, callsMs, refusals.result),
    },
    effects: async (call, programs) => {
      if (!isLarge([call.target, call.parameters, call.sent_with], workLimits.callCharacters))
        return effects(call, programs);
      try {
        return await run('effects', { call, programs }, limits.effectsMs);
      } catch (fault) {
        return { parts: [], carrier: false, unclear: `the call could not be read: ${(fault as Error).message}` };
      }
    },
    configuration: (text, file) =>
      refusing('configuration', { text, packs, ...(file && { file }) }, configurationMs, refusals.configuration),
    stop: () => pool.stop(),
  };
}

const jobFault = ({ error, code, data }: Extract<JobResult, { error: string }>): Error =>
  code === undefined ? new Error(error) : new GatewayError(code, error, data === undefined ? {} : { data });

function jobOutcome(fault: unknown): string {
  if (fault instanceof GatewayError) return 'done'; // its result is a refusal
  return fault instanceof ThreadLate ? fault.why : 'failed';
}

interface RefusalTexts {
  readonly busy: string;
  readonly late: (ms: number) => string;
}

const refusals = {
  texts: {
    busy: 'Too much large text is being checked; nothing was done.',
    late: (ms) =>
      `The content filters exceeded their limit of ${ms} ms for this text. Send less text, or send it in parts.`,
  },
  call: {
    busy: 'Too many large calls are being evaluated; nothing was done.',
    late: (ms) =>
      `Evaluating the rules for this call exceeded the limit of ${ms} ms. Nothing was done. Send shorter parameters.`,
  },
  result: {
    busy: 'Too many large results are being checked for secrets.',
    late: (ms) => `Checking the result for secrets exceeded the limit of ${ms} ms.`,
  },
  diff: {
    busy: 'Too many large jobs are running; the policies were not compared.',
    late: (ms) =>
      `Comparing the policies exceeded the limit of ${ms} ms. Use fewer rules, or patterns with fewer stars.`,
  },
  configuration: {
    busy: 'Too many large jobs are running; the configuration was not stored.',
    late: (ms) =>
      `Checking the configuration exceeded the limit of ${ms} ms. It was not stored. Use fewer rules, or patterns with fewer stars.`,
  },
} as const satisfies Readonly<Record<string, RefusalTexts>>;

function refusalOfLateWork(fault: unknown, ms: number, { busy, late }: RefusalTexts): unknown {
  if (!(fault instanceof ThreadLate)) return fault;
  if (fault.why === 'busy')
    return new GatewayError('service_unavailable', busy, { cause: fault, retryAfterSeconds: 2 });
  return new GatewayError('payload_too_large', late(ms), { cause: fault });
}
