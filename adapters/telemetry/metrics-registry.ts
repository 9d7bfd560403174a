/** A registry of counters, gauges and histograms, and its Prometheus text for `/metrics`. */
import { remembered } from '#core/kernel/remembered.ts';

export type Labels = Readonly<Record<string, string>>;
type MetricKind = 'counter' | 'gauge' | 'histogram';

/** One series of a metric, with its labels as an object and in Prometheus form. */
export interface Series {
  readonly labels: Labels;
  readonly text: string;
}

interface Distribution {
  readonly series: Series;
  /** Number of observations up to each edge and above the previous one; the last count is for those above all edges. */
  readonly counts: number[];
  sum: number;
}

interface Metric {
  readonly kind: MetricKind;
  readonly written: string;
  readonly edges: readonly number[];
  readonly values: Map<string, number>;
  readonly distributions: Map<string, Distribution>;
}

/**
 * Maximum number of series per metric. Callers choose label values, so without a limit one caller could fill memory and
 * inflate the metrics bill. Additional series are counted under `other`.
 */
const maxSeries = 200;

export class MetricsRegistry {
  readonly #metrics = new Map<string, Metric>();

  /** @returns the series under which the amount was counted. */
  add(name: string, labels: Labels, by: number): Series {
    const { values } = this.#metric('counter', name);
    const series = seriesOrOverflow(values, labels);
    values.set(series.text, (values.get(series.text) ?? 0) + by);
    return series;
  }

  set(name: string, value: number): void {
    this.#metric('gauge', name).values.set('', value);
  }

  /** @returns the series under which the value was recorded. */
  observe(name: string, labels: Labels, value: number): Series {
    const { distributions, edges } = this.#metric('histogram', name);
    const series = seriesOrOverflow(distributions, labels);
    let seen = distributions.get(series.text);
    if (seen === undefined) {
      seen = { series, counts: new Array(edges.length + 1).fill(0), sum: 0 };
      distributions.set(series.text, seen);
    }
    let slot = 0;
    while (slot < edges.length && !(value <= edges[slot]!)) slot++;
    seen.counts[slot]!++;
    seen.sum += value;
    return series;
  }

  /** Returns Prometheus text exposition format 0.0.4. */
  text(): string {
    const lines = [...this.#metrics.values()].flatMap((metric) => [
      `# TYPE ${metric.written} ${metric.kind}`,
      ...[...metric.values].map(([labels, value]) => `${metric.written}${labels} ${value}`),
      ...[...metric.distributions.values()].flatMap((seen) => bucketLines(metric, seen)),
    ]);
    return lines.map((line) => `${line}\n`).join('');
  }

  #metric(kind: MetricKind, name: string): Metric {
    const known = this.#metrics.get(name);
    if (known) return known;
    const edges = kind === 'histogram' ? edgesOf(name) : [];
    const metric = { kind, written: prometheusName(kind, name), edges, values: new Map(), distributions: new Map() };
    this.#metrics.set(name, metric);
    return metric;
  }
}

function seriesOrOverflow(known: ReadonlyMap<string, unknown>, labels: Labels): Series {
  const series = seriesOf(labels);
  if (known.has(series.text) || known.size < maxSeries) return series;
  return seriesOf(Object.fromEntries(Object.keys(labels).map((name) => [name, 'other'])));
}

/** Writes the buckets. Each count includes the buckets below it. */
function bucketLines({ written, edges }: Metric, { series, counts, sum }: Distribution): string[] {
  let below = 0;
  const buckets = [...edges, '+Inf'].map((edge, i) => {
    below += counts[i] ?? 0;
    return `${written}_bucket${labelText({ ...series.labels, le: String(edge) })} ${below}`;
  });
  return [...buckets, `${written}_sum${series.text} ${sum}`, `${written}_count${series.text} ${below}`];
}

/** Returns CloudWatch's unit for a metric name. */
export function unitOf(name: string): 'Milliseconds' | 'Seconds' | undefined {
  if (name.endsWith('_ms')) return 'Milliseconds';
  return /_seconds$|\.(duration|time_to_first_chunk)$/.test(name) ? 'Seconds' : undefined;
}

const edges = {
  ms: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000],
  /** OpenTelemetry's recommended buckets for GenAI durations. */
  seconds: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
  /** OpenTelemetry's recommended buckets for tokens: powers of four up to 67,108,864. */
  tokens: Array.from({ length: 14 }, (_, power) => 4 ** power),
} as const;

function edgesOf(name: string): readonly number[] {
  if (unitOf(name) === 'Milliseconds') return edges.ms;
  return name.includes('token') ? edges.tokens : edges.seconds;
}

/**
 * Returns the Prometheus name. OpenTelemetry's names are dotted, while Prometheus names include unit and kind, in the
 * form that OpenTelemetry's own exporters use.
 */
function prometheusName(kind: MetricKind, name: string): string {
  if (!name.includes('.')) return name;
  const unit = unitOf(name) === 'Seconds' ? '_seconds' : '';
  return `${name.replaceAll('.', '_')}${unit}${kind === 'counter' ? '_total' : ''}`;
}

const special = /[\\"\n]/;

/** Prometheus names of labels. Label names form a closed set, so each is converted only once. */
const labelNames = new Map<string, string>();

function labelName(name: string): string {
  let written = labelNames.get(name);
  if (written === undefined) {
    written = name.replaceAll('.', '_');
    labelNames.set(name, written);
  }
  return written;
}

const freshSeries = (labels: Labels): Series => ({ labels, text: labelText(labels) });
const keptSeries = remembered(freshSeries);

/** Returns a series. The text of frozen labels is cached, because their caller reuses them. */
const seriesOf = (labels: Labels): Series => (Object.isFrozen(labels) ? keptSeries : freshSeries)(labels);

/** Escapes backslash, quote and line feed in label values, as the format requires. */
function labelText(labels: Labels): string {
  let text = '';
  for (const name in labels) {
    const value = labels[name] ?? '';
    const written = special.test(value)
      ? value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
      : value;
    text += `${text === '' ? '{' : ','}${labelName(name)}="${written}"`;
  }
  return text === '' ? '' : `${text}}`;
}
