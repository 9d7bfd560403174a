/**
 * Sends one process's traces to the ring that all processes of a deployment share [trace.routes], at the end of an
 * invocation and at most once per second. A busy process sends the remaining traces with the next batch.
 */

import { FairRing } from '#core/kernel/fair-ring.ts';
import type { Clock, Ids, Telemetry } from '#core/kernel/ports.ts';
import type { TraceRing } from '#core/observatory/ports.ts';
import { type RecordedTrace, tenantOfSpans } from '#core/observatory/traces.ts';

export interface SharedTraces {
  note(trace: RecordedTrace): void;
  /** Writes traces. Never throws: if the ring cannot be written, the traces are dropped and counted. */
  flush(): Promise<void>;
}

interface Options {
  readonly ring: Pick<TraceRing, 'put'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly telemetry: Pick<Telemetry, 'count'>;
}

export const sharedSizes = {
  everyMs: 1_000,
  /**
   * Maximum number of pending traces across all tenants. Beyond it, the tenant with the most traces loses its oldest
   * one.
   */
  traces: 50,
  /**
   * Maximum number of characters in one item, which holds the traces of a single tenant: DynamoDB accepts 400 kB and
   * bills each kB.
   */
  characters: 100_000,
} as const;

export function sharedTraces({ ring, clock, ids, telemetry }: Options): SharedTraces {
  const waiting = new FairRing<RecordedTrace>(sharedSizes.traces);
  let lastMs = Number.NEGATIVE_INFINITY;
  const dropped = (traces: readonly RecordedTrace[], reason: 'queue_full' | 'not_delivered'): void => {
    const spans = traces.reduce((sum, trace) => sum + trace.spans.length, 0);
    if (spans > 0) telemetry.count('svc_spans_dropped_total', { reason }, spans);
  };
  return {
    note(trace) {
      const gone = waiting.add(tenantOfSpans(trace.spans), trace);
      if (gone) dropped([gone], 'queue_full');
    },
    async flush() {
      const nowMs = clock.now();
      if (waiting.size === 0 || nowMs - lastMs < sharedSizes.everyMs) return;
      lastMs = nowMs;
      await Promise.all([...waiting.take()].map(([tenant, traces]) => put(tenant, traces, nowMs)));
    },
  };

  async function put(tenant: string, traces: readonly RecordedTrace[], nowMs: number): Promise<void> {
    const { fitting, others } = newestThatFit(traces);
    dropped(others, 'queue_full');
    try {
      await ring.put(tenant, fitting, ids.randomHex(8), nowMs);
    } catch {
      dropped(fitting, 'not_delivered');
    }
  }
}

/** Returns the newest traces that fit into one item. */
function newestThatFit(traces: readonly RecordedTrace[]) {
  let left = sharedSizes.characters;
  const at = traces.findLastIndex((trace) => {
    left -= JSON.stringify(trace).length;
    return left < 0;
  });
  return { fitting: traces.slice(at + 1), others: traces.slice(0, at + 1) };
}
