/**
 * Telemetry: JSON log lines, a metrics registry, the last 500 traces in memory, and the export of spans. Spans nest by
 * async context, so concurrent actions never mix.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { EmbeddedMetrics } from '#adapters/telemetry/embedded-metrics.ts';
import { freshContext, type LocalTrace, OpenSpan, type SamplingDecision } from '#adapters/telemetry/open-span.ts';
import type { SharedTraces } from '#adapters/telemetry/shared-traces.ts';
import type { SpanExport, SpanSink } from '#adapters/telemetry/spans.ts';
import type { TraceLink } from '#adapters/telemetry/xray-link.ts';
import { FairRing } from '#core/kernel/fair-ring.ts';
import { type Clock, isoTime, type SpanAttributes, type Telemetry } from '#core/kernel/ports.ts';
import { isSampled, type TraceContext, traceContextOf } from '#core/kernel/trace-context.ts';
import { keptTraces, type RecordedSpan, type RecordedTrace, tenantOfSpans } from '#core/observatory/traces.ts';
import { logLine } from './log-line.ts';
import { MetricsRegistry } from './metrics-registry.ts';

export interface TelemetryOptions {
  readonly clock: Clock;
  readonly write: (line: string) => void;
  /** Included in every line, so that several services can share a log. */
  readonly service: string;
  /** Name of the deployment on AWS: its metrics are also written to the log, as CloudWatch embedded metrics. */
  readonly deployment?: string;
  /** Runs each span's work inside an external tracer's span. */
  readonly tracer?: Tracer;
  /** Returns a trace's address in another system; called when the trace ends. */
  readonly link?: TraceLink | undefined;
  /** Returns the X-Ray header of the host's current invocation. @default Lambda's header, from the environment */
  readonly functionTrace?: () => string | undefined;
}

/** An external tracer, e.g. X-Ray, that follows every span. Attributes are complete when the work has ended. */
export type Tracer = <T>(name: string, attributes: () => SpanAttributes, work: () => Promise<T>) => Promise<T>;

export interface TraceSpan extends RecordedSpan {
  /** 0 for the span that opened the trace in this process. */
  readonly depth: number;
}

/** A trace with its spans in the order in which they ended, so that a child precedes its parent. */
export interface Trace extends RecordedTrace {
  readonly spans: readonly TraceSpan[];
}

export interface LogTelemetry extends Telemetry, SpanExport {
  /** Returns the registry as Prometheus text. */
  metricsText(): string;
  /**
   * Returns at most 500 traces, oldest first. Beyond that number, the tenant with the most traces loses its oldest one.
   */
  recentTraces(): readonly Trace[];
  /** Starts sharing with other processes the traces that end after this call. */
  shareTraces(shared: SharedTraces): void;
}

export function logTelemetry(options: TelemetryOptions): LogTelemetry {
  const { clock, write, service, deployment, tracer, link, functionTrace = lambdaTrace } = options;
  const metrics = new MetricsRegistry();
  const embedded = deployment === undefined ? undefined : new EmbeddedMetrics(clock, write, deployment);
  const traces = new FairRing<LocalTrace>(keptTraces);
  /**
   * Open traces that began here and were not sampled. They are listed so that the edge and the gateway share one
   * sampling decision.
   */
  const undecided = new Map<string, SamplingDecision>();
  const current = new AsyncLocalStorage<OpenSpan | TraceContext>();
  let sink: SpanSink | undefined;
  let shared: SharedTraces | undefined;

  return {
    span: (name, attributes, work) => run(name, attributes, work, false),
    leafSpan: (name, attributes, work) => run(name, attributes, work, true),

    continued: (from, work) => {
      const context = traceContextOf({ ...from, xray: functionTrace() ?? from.xray });
      return current.run(context ?? current.getStore() ?? freshContext(), work);
    },

    outgoing() {
      const at = current.getStore();
      return at instanceof OpenSpan ? at.headers() : {};
    },

    count(name, labels, by = 1) {
      const series = metrics.add(name, labels, by);
      embedded?.count(name, series, by);
    },

    gauge(name, value) {
      metrics.set(name, value);
      embedded?.gauge(name, value);
    },

    observe(name, value, labels) {
      const series = metrics.observe(name, labels, value);
      embedded?.observe(name, series, value);
    },

    async flush() {
      await Promise.all([sink?.flush(), shared?.flush()]);
      embedded?.flush();
    },

    log(level, message, fields = {}) {
      const trace_id = current.getStore()?.traceId;
      const head = { ts: isoTime(clock.now()), level, msg: message, service, ...(trace_id && { trace_id }) };
      write(logLine(head, fields));
    },

    metricsText: () => metrics.text(),
    recentTraces: () => traces.items().map(traceRecord),
    shareTraces(next) {
      shared = next;
    },
    exportTo(next) {
      sink = next;
    },
  };

  function run<T>(name: string, attributes: SpanAttributes, work: Work<T>, isLeaf: boolean): Promise<T> {
    const parent = current.getStore();
    const isChild = parent instanceof OpenSpan;
    const span = isChild ? parent.child(name, attributes) : root(name, attributes, parent);
    return isLeaf && isChild && !tracer ? attempt(span, work) : current.run(span, attempt<T>, span, work);
  }

  async function attempt<T>(span: OpenSpan, work: Work<T>): Promise<T> {
    try {
      return await (tracer ? traced(tracer, span, work) : work(span));
    } catch (thrown) {
      span.threw(thrown);
      throw thrown;
    } finally {
      ended(span);
    }
  }

  function ended(span: OpenSpan): void {
    span.over();
    if (span.depth === 0) keep(span.trace);
    if (span.trace.isHeld) {
      if (span.depth === 0) release(span);
    } else if (sink && span.sampled) sink.push(span);
  }

  /** Releases an unsampled trace's spans, now that it is known whether the trace failed or was slow. */
  function release({ trace, startMs, endMs }: OpenSpan): void {
    const { fate, spans } = trace;
    const slowMs = sink?.slowMs() ?? Number.POSITIVE_INFINITY;
    fate.sampled ||= endMs - startMs >= slowMs || spans.some(({ end }) => end === 'failed');
    if (trace.begins) undecided.delete(trace.traceId);
    if (!fate.sampled) return;
    trace.isHeld = false;
    for (const span of spans) sink?.push(span);
  }

  /** Opens a trace's first span in this process. */
  function root(name: string, attributes: SpanAttributes, known: TraceContext | undefined): OpenSpan {
    const context = known ?? traceContextOf({ xray: functionTrace() }) ?? freshContext();
    const clocks = { startedMs: clock.now(), from: performance.now() };
    const trace: LocalTrace = { ...context, ...clocks, ...fateOf(context), spans: [] };
    return new OpenSpan(trace, name, attributes, { parentId: context.parentId, depth: 0, from: clocks.from });
  }

  function fateOf({ traceId, sampled }: TraceContext): Pick<LocalTrace, 'fate' | 'begins' | 'isHeld'> {
    if (sampled !== undefined) {
      const known = sampled ? undefined : undecided.get(traceId);
      return { fate: known ?? { sampled }, begins: false, isHeld: known !== undefined };
    }
    const fate = { sampled: isSampled(traceId, sink?.sampleRate() ?? 1) };
    if (!fate.sampled) undecided.set(traceId, fate);
    return { fate, begins: true, isHeld: !fate.sampled };
  }

  function keep(trace: LocalTrace): void {
    trace.url = link?.(trace.traceId);
    traces.add(tenantOfSpans(trace.spans), trace);
    shared?.note(traceRecord(trace));
  }
}

type Work<T> = (span: OpenSpan) => Promise<T>;

const traced = <T>(tracer: Tracer, span: OpenSpan, work: Work<T>): Promise<T> =>
  tracer(
    span.name,
    () => span.attributes,
    () => work(span),
  );

/** Returns Lambda's own header. It names the function's segment, which the caller cannot know. */
const lambdaTrace = (): string | undefined => process.env._X_AMZN_TRACE_ID;

const traceRecord = ({ traceId, url, spans }: LocalTrace): Trace => ({
  trace_id: traceId,
  ...(url !== undefined && { xray_url: url }),
  spans: spans.map((span) => ({
    name: span.name,
    span_id: span.spanId,
    ...(span.parentId !== undefined && { parent_id: span.parentId }),
    attributes: span.attributes,
    started_at: isoTime(span.startMs),
    duration_us: Math.round((span.endMs - span.startMs) * 1_000),
    failed: span.end !== 'well',
    depth: span.depth,
  })),
});
