/**
 * Telemetry without a service: JSON log lines, a registry of counters and gauges, and the last 500 traces in memory
 * (spec §6, §8). Spans nest by async context, so concurrent actions never mix.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { type Clock, isoTime, type Span, type SpanAttributes, type Telemetry } from '#core/kernel/ports.ts';
import { logLine } from './log-line.ts';
import { emfLine, MetricsRegistry } from './metrics-registry.ts';

export interface TelemetryOptions {
  readonly clock: Clock;
  readonly write: (line: string) => void;
  /** Named in every line, so that lines of several services can share a log. */
  readonly service: string;
  /** Also write counters and gauges as CloudWatch embedded metrics. */
  readonly emf?: boolean;
  /** Runs the work of each span inside a foreign tracer's span. */
  readonly tracer?: Tracer;
}

/** A foreign tracer that wants to know of every span, e.g. X-Ray. */
export type Tracer = <T>(name: string, attributes: SpanAttributes, work: () => Promise<T>) => Promise<T>;

export interface TraceSpan {
  readonly name: string;
  readonly attributes: SpanAttributes;
  readonly started_at: string;
  readonly duration_us: number;
  readonly failed: boolean;
  /** 0 for the span that opened the trace. */
  readonly depth: number;
}

/** Spans in the order they ended: a child stands before its parent. */
export interface Trace {
  readonly trace_id: string;
  readonly spans: readonly TraceSpan[];
}

export interface LogTelemetry extends Telemetry {
  /** The registry as Prometheus text. */
  metricsText(): string;
  /** Oldest first, at most 500. */
  recentTraces(): readonly Trace[];
}

const ringSize = 500;

interface OpenTrace {
  readonly trace_id: string;
  readonly spans: TraceSpan[];
  readonly depth: number;
}

export function logTelemetry({ clock, write, service, emf, tracer }: TelemetryOptions): LogTelemetry {
  const metrics = new MetricsRegistry();
  const traces: Trace[] = [];
  const current = new AsyncLocalStorage<OpenTrace>();

  return {
    async span(name, attributes, work) {
      const parent = current.getStore();
      const trace: OpenTrace = parent
        ? { ...parent, depth: parent.depth + 1 }
        : { trace_id: randomBytes(16).toString('hex'), spans: [], depth: 0 };
      const known = { ...attributes };
      const started_at = isoTime(clock.now());
      const from = process.hrtime.bigint();
      const elapsedUs = () => Number((process.hrtime.bigint() - from) / 1000n);
      const span: Span = { set: (more) => void Object.assign(known, more), elapsedUs };
      let failed = true;
      try {
        const run = () => work(span);
        const value = await current.run(trace, () => (tracer ? tracer(name, known, run) : run()));
        failed = false;
        return value;
      } finally {
        const duration_us = elapsedUs();
        trace.spans.push({ name, attributes: known, started_at, duration_us, failed, depth: trace.depth });
        if (!parent) keep({ trace_id: trace.trace_id, spans: trace.spans });
      }
    },

    count(name, labels, by = 1) {
      const counted = metrics.add(name, labels, by);
      if (emf) write(emfLine(clock.now(), name, counted, by));
    },

    gauge(name, value) {
      metrics.set(name, value);
      if (emf) write(emfLine(clock.now(), name, {}, value));
    },

    log(level, message, fields = {}) {
      const trace_id = current.getStore()?.trace_id;
      const head = { ts: isoTime(clock.now()), level, msg: message, service, ...(trace_id && { trace_id }) };
      write(logLine(head, fields));
    },

    metricsText: () => metrics.text(),
    recentTraces: () => traces,
  };

  function keep(trace: Trace): void {
    traces.push(trace);
    if (traces.length > ringSize) traces.shift();
  }
}
