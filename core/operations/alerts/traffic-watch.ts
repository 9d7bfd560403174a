/** Measures traffic for alerts: the last five minutes on each evaluation, the daily baseline less often. */

import { minuteMs } from '#core/kernel/durations.ts';
import { type Clock, isoTime } from '#core/kernel/ports.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import { sideBySide } from '#core/kernel/side-by-side.ts';
import { bucketsOf } from '#core/observatory/buckets.ts';
import { type Dimension, everyTenant, type Scope } from '#core/observatory/dimensions.ts';
import type { Observations } from '#core/observatory/ports.ts';
import { type Baseline, type BaselineMetric, baselineMetrics, baselineOf } from './baseline.ts';
import type { Measurement } from './lifecycle.ts';
import { type AlertSettings, baselineConditions, otherModels, staticThresholds } from './thresholds.ts';

interface Ports {
  readonly clock: Clock;
  readonly observations: Pick<Observations, 'minutes' | 'dimensions'>;
}

type Baselines = Partial<Record<BaselineMetric, Baseline>>;

const recentMinutes = 5;
const historyMinutes = 24 * 60;
/** Interval at which the day's minutes are reread. The mean and deviation hardly change in between. */
const baselineMs = 10 * minuteMs;
/** Maximum number of models and providers measured for the platform. */
const maxDimensions = 200;
const dimensionConcurrency = 10;

export class TrafficWatch {
  readonly #baselines = new RecentMap<string, { readonly at: number; readonly found: Baselines }>({ max: 5_000 });

  tenant(ports: Ports, tenant: string, settings: AlertSettings): Promise<Measurement[]> {
    return this.#dimension(ports, tenant, `tenant:${tenant}`, settings);
  }

  /** Measures all traffic together, and each model and provider separately. */
  async platform(ports: Ports, settings: AlertSettings): Promise<Measurement[]> {
    const now = ports.clock.now();
    const span = { from: isoTime(now - recentMinutes * minuteMs), to: isoTime(now) };
    const seen = await ports.observations.dimensions(everyTenant, span);
    const some = seen.filter((dimension) => !dimension.startsWith('tool:')).slice(0, maxDimensions);
    const measured: Measurement[] = [];
    await sideBySide(['global', ...some] as Dimension[], dimensionConcurrency, async (dimension) => {
      measured.push(...(await this.#dimension(ports, everyTenant, dimension, settings)));
    });
    return measured;
  }

  /** Measures one dimension. Skips reading its baseline if there was no traffic in the last five minutes. */
  async #dimension(ports: Ports, scope: Scope, dimension: Dimension, settings: AlertSettings): Promise<Measurement[]> {
    const now = Math.floor(ports.clock.now() / minuteMs) * minuteMs;
    const sums = await ports.observations.minutes(scope, {
      dimension,
      from: isoTime(now - recentMinutes * minuteMs),
      to: isoTime(now),
    });
    if (sums.length === 0) return [];
    const recent = bucketsOf(sums, '1m');
    const measures = sums.map((sum) => sum.measures);
    return [
      ...staticThresholds(dimension, measures, recent, settings),
      ...(scope === everyTenant ? [] : [otherModels(scope, measures)]),
      ...baselineConditions(dimension, recent, await this.#baseline(ports, scope, dimension, now), settings),
    ];
  }

  async #baseline(ports: Ports, scope: Scope, dimension: Dimension, now: number): Promise<Baselines> {
    const key = JSON.stringify([scope, dimension]);
    const known = this.#baselines.get(key);
    if (known && now - known.at < baselineMs) return known.found;
    const history = bucketsOf(
      await ports.observations.minutes(scope, {
        dimension,
        from: isoTime(now - (historyMinutes + recentMinutes) * minuteMs),
        to: isoTime(now - (recentMinutes + 1) * minuteMs),
      }),
      '1m',
    );
    const found: Baselines = {};
    for (const metric of Object.keys(baselineMetrics) as BaselineMetric[]) {
      const baseline = baselineOf(history, metric);
      if (baseline) found[metric] = baseline;
    }
    this.#baselines.set(key, { at: now, found });
    return found;
  }
}
