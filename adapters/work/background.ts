/**
 * Heavy work of the local run, in worker threads with a budget of time and memory (decision 0044). A text that takes longer is
 * refused, a call whose effects take longer is unclear; the thread that ran it is ended and replaced.
 */
import type { CheckedTexts, TextWork } from '#core/content-policy/text-work.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { Effects } from '#core/effects/ports.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { Telemetry } from '#core/kernel/ports.ts';
import { ThreadLate, threads } from '../system/threads.ts';
import type { Done, Job } from './jobs.ts';

/** Ten times what the largest body of words takes; beyond it the text is meant to cause work. */
export const workLimits = {
  textsMs: 5_000,
  effectsMs: 1_000,
  heapMb: 256,
  threads: 2,
  callCharacters: 2 * 1024,
} as const;

export interface BackgroundOptions {
  readonly telemetry: Pick<Telemetry, 'count'>;
  /** Reads the effects of a call that is small. */
  readonly effects: (call: ToolCall) => Promise<Effects>;
  readonly limits?: { readonly textsMs: number; readonly effectsMs: number };
}

export interface Background {
  readonly texts: TextWork;
  /** Never rejects on behalf of the call. */
  effects(call: ToolCall): Promise<Effects>;
  stop(): Promise<void>;
}

/** Costs nothing until the first large text or call, which starts the threads. */
export function backgroundWork({ telemetry, effects, limits = workLimits }: BackgroundOptions): Background {
  const pool = threads<Job, Done>(new URL('./worker.ts', import.meta.url), workLimits.threads, {
    what: 'work',
    heapMb: workLimits.heapMb,
  });
  const run = async (job: Job, ms: number): Promise<unknown> => {
    try {
      const answer = await pool.run(job, ms);
      if ('error' in answer) throw new Error(answer.error);
      telemetry.count('svc_heavy_work_total', { kind: job.kind, outcome: 'done' });
      return answer.value;
    } catch (fault) {
      telemetry.count('svc_heavy_work_total', {
        kind: job.kind,
        outcome: fault instanceof ThreadLate ? fault.why : 'failed',
      });
      throw fault;
    }
  };
  return {
    texts: {
      check: async (job) => {
        const { textsMs } = limits;
        return (await run({ kind: 'texts', job }, textsMs).catch((fault) => {
          throw refused(fault, textsMs);
        })) as CheckedTexts;
      },
      turn: () => new Promise((resolve) => setImmediate(resolve)),
    },
    effects: async (call) => {
      if (!isLargeCall(call)) return effects(call);
      try {
        return (await run({ kind: 'effects', call }, limits.effectsMs)) as Effects;
      } catch (fault) {
        return { parts: [], carrier: false, unclear: `the call could not be read: ${(fault as Error).message}` };
      }
    },
    stop: () => pool.stop(),
  };
}

function refused(fault: unknown, ms: number): unknown {
  if (!(fault instanceof ThreadLate)) return fault;
  if (fault.why === 'busy')
    return new GatewayError('service_unavailable', 'Too many large texts are being checked; nothing was done.', {
      cause: fault,
      retryAfterSeconds: 2,
    });
  return new GatewayError(
    'payload_too_large',
    `The content filters take longer than ${ms} ms for these texts, the most they may take. Send less, or in parts.`,
    { cause: fault },
  );
}

/** Whether the texts of a call are long enough to be read elsewhere. */
function isLargeCall({ target, parameters }: ToolCall): boolean {
  let characters = target.length;
  const add = (value: unknown): boolean => {
    if (typeof value === 'string') characters += value.length;
    else characters += 1;
    if (characters > workLimits.callCharacters) return true;
    if (Array.isArray(value)) return value.some(add);
    if (typeof value !== 'object' || value === null) return false;
    return Object.entries(value).some(([name, item]) => {
      characters += name.length;
      return add(item);
    });
  };
  return add(parameters);
}
