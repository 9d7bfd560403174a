/** Ports for answering a chat call. */
import type { GovernPorts } from '#core/actions/ports.ts';
import type { HostLimits } from '#core/contracts/host-limits.ts';
import type { Timeouts } from '#core/kernel/ports.ts';
import type { Counters } from '#core/limits/ports.ts';
import type { ResponseCache } from '#core/models/cache/ports.ts';
import type { WasmRunner } from '#core/models/content-policy/ports.ts';
import type { TextWork } from '#core/models/content-policy/text-work.ts';
import type { Providers } from '#core/models/providers/ports.ts';
import type { RolloutsInForce } from '#core/models/rollouts/in-force.ts';
import type { Breakers } from '#core/models/routing/breakers.ts';
import type { EndedCall, RecordedEntry, RunningCall } from './call-stages.ts';
import type { StoredObjectStore } from './stored/ports.ts';

/** Takes a sample of answered calls, after their callers have received the answer. */
export interface AnswerSampler {
  /** Returns the maximum number of code points to keep per text, or undefined if the call is not sampled. */
  sampleOf(running: Pick<RunningCall, 'call'>): number | undefined;
  /** Takes a sampled call. Never rejects. @param most the number that `sampleOf` returned */
  submit(
    ports: Pick<ChatPorts, 'clock' | 'deliveries' | 'telemetry'>,
    ended: EndedCall,
    recorded: RecordedEntry | undefined,
    most: number,
    answer: string,
  ): Promise<void>;
}

export interface ChatPorts extends GovernPorts {
  readonly counters: Counters;
  readonly providers: Providers;
  /** Breakers for these providers. */
  readonly providerBreakers: Breakers;
  readonly storedObjects: StoredObjectStore;
  readonly wasm: WasmRunner;
  /** Worker that scans large text; if undefined, the current thread scans it. */
  readonly texts: TextWork | undefined;
  readonly cache: ResponseCache;
  readonly hostLimits: Pick<HostLimits, 'seesCallers'> | undefined;
  /** Rollouts between providers that are known to this process. */
  readonly rolloutsInForce: RolloutsInForce;
  /** Absent if no feature takes samples. */
  readonly sampler: AnswerSampler | undefined;
  readonly timeouts: Timeouts;
  /** Returns a number in [0, 1) for retry jitter. */
  readonly random: () => number;
}
