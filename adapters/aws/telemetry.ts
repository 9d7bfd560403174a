/**
 * Telemetry without a service: JSON log lines, a registry of counters and gauges (Prometheus text and CloudWatch EMF),
 * and the last 500 traces in memory (spec §6, §8). Values under secret-looking names are never written.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { secrecyOf } from '#core/evidence/secret-names.ts';
import { type Clock, isoTime, type Span, type SpanAttributes, type Telemetry } from '#core/kernel/ports.ts';

export interface TelemetryOptions {
  readonly clock: Clock;
  readonly write: (line: string) => void;
  readonly service: string;
  /** Also write counters and gauges as CloudWatch embedded metrics. */
  readonly emf?: boolean;
}

export interface TraceSpan {
  readonly name: string;
  readonly attributes: SpanAttributes;
  readonly started_at: string;
  readonly duration_us: number;
  readonly failed: boolean;
  readonly depth: number;
}

export interface Trace {
  readonly trace_id: string;
  readonly spans: readonly TraceSpan[];
}

const ringSize = 500;
const namespace = 'AgentGovernance';

interface OpenTrace {
  readonly trace_id: string;
  readonly spans: TraceSpan[];
  readonly depth: number;
}

export function logTelemetry(options: TelemetryOptions): Telemetry & { metricsText(): string; recentTraces(): readonly Trace[] } {
  const { clock, write } = options;
  const metrics = new Map<string, { kind: 'counter' | 'gauge'; values: Map<string, number> }>();
  const traces: Trace[] = [];
  const current = new AsyncLocalStorage<OpenTrace>();

  const change = (kind: 'counter' | 'gauge', name: string, labels: Record<string, string>, value: number) => {
    const metric = metrics.get(name) ?? { kind, values: new Map<string, number>() };
    metrics.set(name, metric);
    const series = labelText(labels);
    metric.values.set(series, kind === 'gauge' ? value : (metric.values.get(series) ?? 0) + value);
    if (options.emf) write(emfLine(clock.now(), name, labels, value));
  };

  return {
    async span(name, attributes, work) {
      const parent = current.getStore();
      const trace: OpenTrace = parent
        ? { ...parent, depth: parent.depth + 1 }
        : { trace_id: randomBytes(16).toString('hex'), spans: [], depth: 0 };
      const known = { ...attributes };
      const span: Span = { set: (more) => void Object.assign(known, more) };
      const startedAt = isoTime(clock.now());
      const from = process.hrtime.bigint();
      let failed = true;
      try {
        const value = await current.run(trace, () => work(span));
        failed = false;
        return value;
      } finally {
        const duration_us = Number((process.hrtime.bigint() - from) / 1000n);
        trace.spans.push({ name, attributes: known, started_at: startedAt, duration_us, failed, depth: trace.depth });
        if (!parent) {
          traces.push({ trace_id: trace.trace_id, spans: trace.spans });
          if (traces.length > ringSize) traces.shift();
        }
      }
    },
    count: (name, labels, by = 1) => change('counter', name, labels, by),
    gauge: (name, value) => change('gauge', name, {}, value),
    log(level, message, fields = {}) {
      const trace_id = current.getStore()?.trace_id;
      write(JSON.stringify({ ts: isoTime(clock.now()), level, msg: message, ...(trace_id && { trace_id }), ...unsecret(fields) }));
    },
    metricsText: () =>
      [...metrics]
        .flatMap(([name, { kind, values }]) => [
          `# TYPE ${name} ${kind}`,
          ...[...values].map(([labels, value]) => `${name}${labels} ${value}`),
        ])
        .join('\n')
        .concat('\n'),
    recentTraces: () => traces,
  };
}

const unsecret = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, secrecyOf(name) ? '[withheld]' : value]));

/** Prometheus text exposition: backslash, quote and newline are escaped in label values. */
function labelText(labels: Record<string, string>): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

/** CloudWatch embedded metric format: one log line carries one value and its dimensions. */
function emfLine(nowMs: number, name: string, labels: Record<string, string>, value: number): string {
  const CloudWatchMetrics = [{ Namespace: namespace, Dimensions: [Object.keys(labels)], Metrics: [{ Name: name }] }];
  return JSON.stringify({ _aws: { Timestamp: nowMs, CloudWatchMetrics }, ...labels, [name]: value });
}
