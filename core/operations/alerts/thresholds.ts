/** Compares traffic and spending with fixed thresholds [alert.thresholds]. */
import { type AlertScope, platformAlerts } from '#core/contracts/alert.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { BudgetStatus } from '#core/limits/ports.ts';
import { type Bucket, totalsOf } from '#core/observatory/buckets.ts';
import { type Dimension, partsOf } from '#core/observatory/dimensions.ts';
import type { Measures } from '#core/observatory/measures.ts';
import { toUsd } from '#core/observatory/request-row.ts';
import { type Baseline, type BaselineMetric, baselineMetrics, recentOf, upperBound } from './baseline.ts';
import { type Measurement, measurement } from './lifecycle.ts';

export type AlertSettings = Configuration['alerts'];

/** Minimum number of requests in five minutes for a meaningful error rate or percentile. */
const leastRequests = 5;

const scopeOf = (dimension: Dimension): AlertScope => {
  const parts = partsOf(dimension);
  return parts?.kind === 'tenant' ? parts.name : platformAlerts;
};

/** Formats a number compactly for messages, without an exponent. */
const formatNumber = (value: number): string => String(Number(value.toPrecision(3)));
const words: Readonly<Record<BaselineMetric, (value: number) => string>> = {
  error_rate: (value) => `${formatNumber(value * 100)} % errors`,
  p95_latency_ms: (value) => `a p95 latency of ${formatNumber(value)} ms`,
  requests_per_minute: (value) => `${formatNumber(value)} requests a minute`,
  usd_per_minute: (value) => `${formatNumber(value)} USD a minute`,
};

/**
 * Compares the last five minutes with the configured thresholds.
 * @param measures sums for the last five minutes, one per minute
 * @param buckets the same data as buckets, oldest first
 */
export function staticThresholds(
  dimension: Dimension,
  measures: readonly Measures[],
  buckets: readonly Bucket[],
  settings: AlertSettings,
): Measurement[] {
  const totals = totalsOf(measures);
  const enough = totals.requests >= leastRequests;
  const most = (of: (bucket: Bucket) => number) => Math.max(0, ...buckets.map(of));
  const values: Record<BaselineMetric, number> = {
    error_rate: enough ? totals.error_rate : 0,
    p95_latency_ms: enough ? (totals.p95_latency_ms ?? 0) : 0,
    requests_per_minute: most(({ requests }) => requests),
    usd_per_minute: most(({ cost_usd }) => cost_usd),
  };
  return (Object.keys(baselineMetrics) as BaselineMetric[]).map((metric) => {
    const [value, threshold] = [values[metric], settings[metric]];
    const severity = metric === 'error_rate' ? 'critical' : 'warning';
    const message = `${dimension}: ${words[metric](value)} in the last five minutes; the threshold is ${words[metric](threshold)}.`;
    return measurement(
      { scope: scopeOf(dimension), type: 'static_threshold', dimension, metric, value, threshold },
      { severity, message },
    );
  });
}

/**
 * Reports replies from a different model than the one requested [budget.served], as an alert for the tenant.
 * @param measures those of the last five minutes
 */
export function otherModels(tenant: string, measures: readonly Measures[]): Measurement {
  const value = measures.reduce((sum, { other_model = 0 }) => sum + other_model, 0);
  const dimension = `tenant:${tenant}`;
  const message = `${dimension}: ${value} replies in the last five minutes named a model other than the requested one. Evidence records it as \`replied_model\`; the more expensive model was charged. Check which models the provider maps to others.`;
  return measurement({ scope: tenant, type: 'static_threshold', dimension, metric: 'other_model', value }, { message });
}

/** Compares each metric with its baseline. */
export function baselineConditions(
  dimension: Dimension,
  recent: readonly Bucket[],
  baselines: Readonly<Partial<Record<BaselineMetric, Baseline>>>,
  settings: AlertSettings,
): Measurement[] {
  return (Object.keys(baselines) as BaselineMetric[]).flatMap((metric): Measurement[] => {
    const baseline = baselines[metric];
    const value = recentOf(recent, metric);
    if (!baseline || value === undefined) return [];
    const threshold = upperBound(baseline, metric, settings.sigmas);
    const message = `${dimension}: ${words[metric](value)} in the last five minutes; the day before had ${words[metric](baseline.mean)} on average, and ${words[metric](threshold)} is the bound of ${settings.sigmas} standard deviations.`;
    const evidence = { mean: baseline.mean, deviation: baseline.deviation, buckets: baseline.buckets };
    return [
      measurement(
        { scope: scopeOf(dimension), type: 'statistical_baseline', dimension, metric, value, threshold },
        { message, evidence },
      ),
    ];
  });
}

/** Reports budget usage: a warning at 80 %, critical at 100 %. */
export function budgetThresholds(tenant: string, budgets: readonly BudgetStatus[]): Measurement[] {
  return budgets.map(({ account, scope, period, limit_microusd, used_microusd }) => {
    const value = limit_microusd === 0 ? 100 : Math.round((used_microusd / limit_microusd) * 1000) / 10;
    const full = value >= 100;
    const threshold = full ? 100 : 80;
    const dimension = scope === 'global' ? 'global' : `tenant:${tenant}`;
    const spent = `${toUsd(used_microusd)} of ${toUsd(limit_microusd)} USD (${value} %)`;
    const message = `${dimension}: the budget ${account} of this ${period} is used up to ${spent}${full ? '; further calls are refused' : ''}.`;
    return {
      scope: scope === 'global' ? platformAlerts : tenant,
      type: 'budget' as const,
      dimension,
      metric: `${account}:${period}`,
      value,
      threshold,
      // A budget of zero is intentional and does not raise an alert.
      ...(value >= 80 && limit_microusd > 0 && { firing: { severity: full ? 'critical' : 'warning', message } }),
    };
  });
}
