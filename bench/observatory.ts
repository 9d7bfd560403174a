/** The cost of the observatory: a query over two days, `/metrics` with many series, and the projector. */
import { sumUpdate } from '#adapters/tables/observation-items.ts';
import { allSeries, stampDimension } from '#adapters/tables/observation-minutes.ts';
import { sumMark, ttlOf } from '#adapters/tables/observation-sums.ts';
import { observationsTable } from '#adapters/tables/observations-table.ts';
import type { Store } from '#adapters/tables/store.ts';
import { MetricsRegistry } from '#adapters/telemetry/metrics-registry.ts';
import { minuteMs } from '#core/kernel/durations.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { bucketsOf } from '#core/observatory/buckets.ts';
import type { Dimension } from '#core/observatory/dimensions.ts';
import { projectEntry } from '#core/observatory/project.ts';
import { sumsBetween } from '#core/observatory/sums-between.ts';
import { testStore } from '../test/support/store.ts';
import { sampleChat } from '../test/unit/observatory/sample.ts';

const hours = 48;
const nowMs = Date.parse('2026-01-03T00:30:00.000Z');
const startMs = nowMs - hours * 60 * minuteMs;
const dimensions = Array.from({ length: 100 }, (_, n): Dimension => `model:model-${n}`);

export async function benchObservatory(): Promise<Record<string, number>> {
  const stores = [testStore(), testStore()] as const;
  try {
    return {
      ...(await queries(stores[0])),
      ...metricsText(),
      ...(await projector(stores[1])),
    };
  } finally {
    for (const store of stores) store.close();
  }
}

/**
 * Measures queries over two days with traffic in every minute for each dimension. The time range begins and ends within
 * an hour, as in real requests.
 */
async function queries(store: Store) {
  const observations = observationsTable({ store });
  for (const dimension of dimensions) {
    await fill(store, seriesOf('minutes', dimension), hours * 60, minuteMs, 16);
    await fill(store, seriesOf('hours', dimension), hours + 1, 60 * minuteMs, 13);
  }
  await fill(store, seriesOf('hours', stampDimension('default')), hours + 1, 60 * minuteMs, 13);
  const span = { from: isoTime(startMs), to: isoTime(nowMs) };
  const rounds: { readonly ms: number; readonly cpuMs: number }[] = [];
  for (let round = 0; round <= 20; round++) {
    const [begun, before] = [performance.now(), process.cpuUsage()];
    const stamps = await observations.stamps('default', span);
    const answers = await Promise.all(
      dimensions.map(async (dimension) =>
        bucketsOf(await sumsBetween(observations, 'default', { dimension, ...span, step: '1h' }, nowMs, stamps), '1h'),
      ),
    );
    const { user, system } = process.cpuUsage(before);
    rounds.push({ ms: performance.now() - begun, cpuMs: (user + system) / 1_000 });
    if (answers.some(({ length }) => length !== hours + 1)) throw new Error('a bucket is missing');
    // Traffic continues: the current hour has changed before the next query.
    await raise(store);
  }
  const [first, ...later] = rounds;
  const p = (part: number, of: 'ms' | 'cpuMs') =>
    later.map((round) => round[of]).sort((a, b) => a - b)[Math.ceil(part * later.length) - 1]!;
  return {
    'analytics, 48 h by 100 dimensions: p50 ms': p(0.5, 'ms'),
    'the same: p95 ms': p(0.95, 'ms'),
    'the same: processor time, ms': p(0.5, 'cpuMs'),
    'the same: processor time at p95, ms': p(0.95, 'cpuMs'),
    'the same: processor time of the first query, ms': first!.cpuMs,
  };
}

const seriesOf = (width: 'minutes' | 'hours', dimension: Dimension) => allSeries(width, 'default', dimension)[0]!;

async function fill(store: Store, series: string, count: number, stepMs: number, length: number) {
  const first = Math.floor(startMs / stepMs) * stepMs;
  const measures = { requests: 40, errors: 1, input_tokens: 9_000, output_tokens: 700, cost_microusd: 1_234 };
  const bins = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`ms:${300 + n}`, n + 1]));
  const sums = Object.fromEntries(
    Object.entries({ ...measures, ...bins }).map(([name, value]) => [`${sumMark}${name}`, value]),
  );
  const rows = Array.from({ length: count }, (_, n) => ({
    series,
    at: isoTime(first + n * stepMs).slice(0, length),
    ...sums,
  }));
  await store.putMany('observations', rows);
}

/** Measures the last step of a batch, which updates the hour's stamp. */
async function raise(store: Store) {
  const sum = {
    series: allSeries('hours', 'default', stampDimension('default'))[0]!,
    at: isoTime(nowMs).slice(0, 13),
    of: {},
    measures: { requests: 1 },
    ttl: ttlOf(isoTime(nowMs), 3_600),
  };
  const { change, if: isNew } = sumUpdate({ writer: 'bench', number: ++raised }, sum);
  await store.update('observations', { series: sum.series, at: sum.at }, change, { if: isNew });
}
let raised = 0;

function metricsText() {
  const registry = new MetricsRegistry();
  const perMetric = 200;
  for (let n = 0; n < 5_000; n++)
    registry.add(
      `svc_bench_${Math.floor(n / perMetric)}_total`,
      { tenant: `tenant-${n % perMetric}`, decision: 'allow' },
      n,
    );
  const rounds = 50;
  const begun = performance.now();
  let bytes = 0;
  for (let round = 0; round < rounds; round++) bytes = registry.text().length;
  return { '/metrics with 5,000 series: ms': (performance.now() - begun) / rounds, 'its text: bytes': bytes };
}

/** Measures the projector on chat entries, in batches of the size that the stream delivers. */
async function projector(store: Store) {
  const observations = observationsTable({ store });
  const [count, batch] = [20_000, 100];
  const projections = Array.from({ length: count }, (_, n) =>
    projectEntry(
      sampleChat(
        n,
        { latency_ms: n % 900, model: `model-${n % 10}`, resolved_model: `model-${n % 10}` },
        { timestamp: isoTime(startMs + n * 3) },
      ),
    ),
  );
  const [begun, before] = [performance.now(), process.cpuUsage()];
  for (let at = 0; at < count; at += batch) await observations.apply(projections.slice(at, at + batch));
  const { user, system } = process.cpuUsage(before);
  return {
    'projector: entries a second': (count / (performance.now() - begun)) * 1_000,
    'projector: processor time per entry, ms': (user + system) / 1_000 / count,
  };
}
