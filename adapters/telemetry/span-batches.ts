/** A bounded queue of spans for a collector. They are sent in batches, about every five seconds. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock, Telemetry, Timeouts } from '#core/kernel/ports.ts';
import { type EndedSpan, isEncodable, type SpanSender, type SpanSink } from './spans.ts';

interface BatchOptions {
  readonly sender: SpanSender;
  readonly telemetry: Pick<Telemetry, 'count' | 'log'>;
  readonly clock: Clock;
  /** Absent if no code runs between invocations. Spans are then sent by `flush`, or as soon as they fill a batch. */
  readonly timeouts?: Timeouts;
  /** @default all */
  readonly sampleRate?: () => number;
  /** @default no span is considered slow */
  readonly slowMs?: () => number;
}

export const batchSizes = {
  /** Maximum number of pending spans. Additional spans are dropped and counted. */
  queue: 2_048,
  /** Number of spans per batch. A full batch is sent immediately. */
  batch: 512,
  everyMs: 5_000,
} as const;

const complainEveryMs = 60_000;

export function batchedSink(options: BatchOptions): SpanSink {
  const { sender, telemetry, clock, timeouts, sampleRate = () => 1, slowMs = () => Number.POSITIVE_INFINITY } = options;
  // The queue outlives the request that started its timer, so it must not run in that context.
  const outside = AsyncLocalStorage.snapshot();
  const queue: EndedSpan[] = [];
  let sending: Promise<void> | undefined;
  let cancel: (() => void) | undefined;
  let complainedAt = Number.NEGATIVE_INFINITY;
  let stopped = false;

  const dropped = (count: number, reason: 'queue_full' | 'not_delivered' | 'not_encodable'): void =>
    telemetry.count('svc_spans_dropped_total', { reason }, count);

  const failed = (count: number, cause: unknown): void => {
    dropped(count, 'not_delivered');
    if (clock.now() - complainedAt < complainEveryMs) return;
    complainedAt = clock.now();
    telemetry.log('warn', 'spans were not delivered', { spans: count, error: cause });
  };

  /** Sends the pending spans. Stops at the first batch that the collector does not accept. */
  const sendWaiting = async (): Promise<void> => {
    for (let left = queue.length; left > 0; ) {
      const taken = queue.splice(0, Math.min(left, batchSizes.batch));
      left -= taken.length;
      const batch = taken.filter(isEncodable);
      if (batch.length < taken.length) dropped(taken.length - batch.length, 'not_encodable');
      if (batch.length === 0) continue;
      try {
        await sender.send(batch);
      } catch (cause) {
        return failed(batch.length, cause);
      }
    }
  };

  const send = (): Promise<void> => {
    cancel?.();
    cancel = undefined;
    sending ??= outside(sendWaiting).finally(() => {
      sending = undefined;
      if (queue.length > 0) arm();
    });
    return sending;
  };

  const arm = (): void => {
    if (stopped || cancel) return;
    cancel = outside(() => timeouts?.after(batchSizes.everyMs, send));
  };

  const flush = async (): Promise<void> => {
    await sending;
    if (queue.length > 0) await send();
  };

  return {
    sampleRate,
    slowMs,
    push(span) {
      if (stopped || queue.length >= batchSizes.queue) return dropped(1, 'queue_full');
      queue.push(span);
      if (queue.length >= batchSizes.batch && !sending) void send();
      else arm();
    },
    flush,
    async stop() {
      await flush();
      stopped = true;
      cancel?.();
      if (queue.length > 0) dropped(queue.length, 'not_delivered');
      queue.length = 0;
      await sender.close().catch(() => {});
    },
  };
}
