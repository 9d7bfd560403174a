/**
 * Writes metrics to the log in CloudWatch's embedded format. The counts of an invocation are packed into few lines,
 * because each line costs CPU to write and money to ingest.
 */
import { type Labels, type Series, unitOf } from '#adapters/telemetry/metrics-registry.ts';
import type { Clock } from '#core/kernel/ports.ts';

const namespace = 'AgentGovernance';

/**
 * Number of changes after which they are written even without a flush; they are also written with the next change after
 * a second.
 */
const maxChanges = 100;
const maxAgeMs = 1_000;

interface Pending {
  readonly name: string;
  readonly labels: Labels;
  /** A single number for a counter or gauge; every observation for a histogram. */
  readonly values: number[];
}

export class EmbeddedMetrics {
  readonly #clock: Clock;
  readonly #write: (line: string) => void;
  readonly #deployment: string;
  #pending = new Map<string, Pending>();
  #changes = 0;
  #sinceMs = 0;

  /**
   * @param deployment the deployment's name, which is a dimension of every metric because several deployments may share
   * an account and region
   */
  constructor(clock: Clock, write: (line: string) => void, deployment: string) {
    this.#clock = clock;
    this.#deployment = deployment;
    this.#write = write;
  }

  count(name: string, series: Series, by: number): void {
    const { values } = this.#of(name, series);
    values[0] = (values[0] ?? 0) + by;
  }

  gauge(name: string, value: number): void {
    this.#of(name, { labels: {}, text: '' }).values[0] = value;
  }

  observe(name: string, series: Series, value: number): void {
    this.#of(name, series).values.push(value);
  }

  /** Writes pending changes. */
  flush(): void {
    const pending = this.#pending;
    this.#pending = new Map();
    this.#changes = 0;
    for (const line of packLines(pending.values())) this.#write(metricsLine(this.#sinceMs, line));
  }

  #of(name: string, { labels, text }: Series): Pending {
    const now = this.#clock.now();
    if (this.#changes >= maxChanges || (this.#changes > 0 && now - this.#sinceMs >= maxAgeMs)) this.flush();
    if (this.#changes++ === 0) this.#sinceMs = now;
    const key = name + text;
    const known = this.#pending.get(key);
    if (known) return known;
    const pending = { name, labels: { deployment: this.#deployment, ...labels }, values: [] };
    this.#pending.set(key, pending);
    return pending;
  }
}

interface Line {
  /** Dimensions and metrics by name. A line has only one value for each name. */
  readonly members: Record<string, unknown>;
  readonly directives: Map<string, { Dimensions: string[][]; Metrics: object[] }>;
}

/** Packs series into lines. Series share a line unless they have different values for the same name. */
function packLines(pending: Iterable<Pending>): Line[] {
  const lines: Line[] = [];
  for (const one of pending) {
    const fits = lines.find((line) => hasRoom(line, one));
    const line = fits ?? { members: {}, directives: new Map() };
    if (!fits) lines.push(line);
    addToLine(line, one);
  }
  return lines;
}

/** Returns the label, or `none` if it is empty, because CloudWatch ignores a metric with an empty dimension. */
const dimension = (label: string | undefined): string => label || 'none';

const hasRoom = ({ members }: Line, { name, labels }: Pending): boolean =>
  members[name] === undefined &&
  Object.entries(labels).every(([label, value]) => (members[label] ?? dimension(value)) === dimension(value));

function addToLine({ members, directives }: Line, { name, labels, values }: Pending): void {
  const names = Object.keys(labels);
  const key = names.join();
  const directive = directives.get(key) ?? { Dimensions: [names], Metrics: [] };
  directives.set(key, directive);
  const unit = unitOf(name);
  directive.Metrics.push({ Name: name, ...(unit && { Unit: unit }) });
  for (const label of names) members[label] = dimension(labels[label]);
  members[name] = values.length === 1 ? values[0] : values;
}

function metricsLine(Timestamp: number, { members, directives }: Line): string {
  const CloudWatchMetrics = [...directives.values()].map((directive) => ({ Namespace: namespace, ...directive }));
  return JSON.stringify({ _aws: { Timestamp, CloudWatchMetrics }, ...members });
}
