/** One registry of counters and gauges: Prometheus text for `/metrics`, CloudWatch's embedded format in the log (spec §6). */

type Labels = Readonly<Record<string, string>>;
type Kind = 'counter' | 'gauge';

interface Metric {
  readonly kind: Kind;
  readonly values: Map<string, number>;
}

const namespace = 'AgentGovernance';

/**
 * Series a metric may have. Label values come from callers: without a bound one of them could fill memory and the
 * bill with series of its own. What comes later is counted under `other`.
 */
const maxSeries = 200;

export class MetricsRegistry {
  readonly #metrics = new Map<string, Metric>();

  /** @returns the labels it was counted under. */
  add(name: string, labels: Labels, by: number): Labels {
    const { values } = this.#metric('counter', name);
    const kept = values.has(labelText(labels)) || values.size < maxSeries ? labels : othersOf(labels);
    const series = labelText(kept);
    values.set(series, (values.get(series) ?? 0) + by);
    return kept;
  }

  set(name: string, value: number): void {
    this.#metric('gauge', name).values.set('', value);
  }

  /** Prometheus text exposition format 0.0.4. */
  text(): string {
    const lines = [...this.#metrics].flatMap(([name, { kind, values }]) => [
      `# TYPE ${name} ${kind}`,
      ...[...values].map(([labels, value]) => `${name}${labels} ${value}`),
    ]);
    return lines.map((line) => `${line}\n`).join('');
  }

  #metric(kind: Kind, name: string): Metric {
    const metric = this.#metrics.get(name) ?? { kind, values: new Map<string, number>() };
    this.#metrics.set(name, metric);
    return metric;
  }
}

const othersOf = (labels: Labels): Labels => Object.fromEntries(Object.keys(labels).map((name) => [name, 'other']));

/** Backslash, quote and line feed are escaped in label values, as the format asks. */
function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

/** CloudWatch embedded metric format: one log line carries one value and its dimensions. */
export function emfLine(nowMs: number, name: string, labels: Labels, value: number): string {
  const CloudWatchMetrics = [{ Namespace: namespace, Dimensions: [Object.keys(labels)], Metrics: [{ Name: name }] }];
  return JSON.stringify({ _aws: { Timestamp: nowMs, CloudWatchMetrics }, ...labels, [name]: value });
}
