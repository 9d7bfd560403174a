import { alerts } from '#core/contracts/config/alerts.ts';
import { bucketsOf } from '#core/observatory/buckets.ts';
import { addUp, type Measures } from '#core/observatory/measures.ts';
import { latencyMeasures } from '#core/observatory/sketch.ts';
import { baselineOf, upperBound } from '#core/operations/alerts/baseline.ts';
import { disabledSafeguards } from '#core/operations/alerts/conditions.ts';
import { baselineConditions, budgetThresholds, staticThresholds } from '#core/operations/alerts/thresholds.ts';

const leastBuckets = 60;

const settings = alerts.parse({});
const sums = (minutes: readonly Measures[]) =>
  minutes.map((measures, n) => ({ at: new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString(), measures }));
const calls = (requests: number, errors = 0, ms = 100): Measures =>
  addUp([{ requests, errors }, ...Array.from({ length: requests }, () => latencyMeasures(ms))]);

const firing = (minutes: readonly Measures[]) =>
  staticThresholds('tenant:a', minutes, bucketsOf(sums(minutes), '1m'), settings)
    .filter((each) => each.firing)
    .map(({ metric, firing }) => [metric, firing!.severity]);

describe('[alert.thresholds] traffic over five minutes', () => {
  test('an error rate above 20 % opens an alert', () => {
    expect(firing([calls(10, 2)])).toEqual([]);
    expect(firing([calls(10, 0), calls(10, 5)])).toEqual([['error_rate', 'critical']]);
    expect(firing([calls(2, 2)])).toEqual([]);
  });

  test('a p95 latency above 5 s across all calls opens an alert', () => {
    expect(firing([calls(95, 0, 100), calls(5, 0, 9000)])).toEqual([]);
    expect(firing([calls(90, 0, 100), calls(10, 0, 9000)])).toEqual([['p95_latency_ms', 'warning']]);
  });

  test('too many requests or too high a cost in one minute opens an alert', () => {
    expect(firing([{ requests: 9_000 }, { requests: 9_000 }])).toEqual([]);
    expect(firing([{ requests: 10_001 }])).toEqual([['requests_per_minute', 'warning']]);
    expect(firing([{ requests: 1, cost_microusd: 51_000_000 }])).toEqual([['usd_per_minute', 'warning']]);
  });

  test('the message states the measured value and the threshold', () => {
    const minutes = [calls(10, 5)];
    const [found] = staticThresholds('tenant:a', minutes, bucketsOf(sums(minutes), '1m'), settings);
    expect(found?.firing?.message).toBe(
      'tenant:a: 50 % errors in the last five minutes; the threshold is 20 % errors.',
    );
  });
});

describe('[alert.thresholds] the day before', () => {
  const history = (minutes: number) =>
    bucketsOf(sums(Array.from({ length: minutes }, (_, n) => calls(8 + (n % 5)))), '1m');
  const measured = (requests: number, minutes = 600) => {
    const baseline = baselineOf(history(minutes), 'requests_per_minute');
    const recent = bucketsOf(sums(Array.from({ length: 5 }, () => calls(requests))), '1m');
    return baselineConditions('tenant:a', recent, { ...(baseline && { requests_per_minute: baseline }) }, settings);
  };

  test('a baseline requires 60 minutes with traffic', () => {
    expect(measured(1000, leastBuckets - 1)).toEqual([]);
    expect(measured(1000, leastBuckets)).toHaveLength(1);
  });

  test('a baseline alert fires above three standard deviations and not below', () => {
    expect(measured(14)[0]).not.toHaveProperty('firing');
    expect(measured(15)[0]).toMatchObject({
      type: 'statistical_baseline',
      value: 15,
      firing: { evidence: { mean: 10, buckets: 600 } },
    });
    expect(measured(1)[0]).not.toHaveProperty('firing');
  });

  test('a baseline that never varied still allows some tolerance', () => {
    const never = { mean: 100, deviation: 0, buckets: 600 };
    expect(upperBound(never, 'p95_latency_ms', 3)).toBe(115);
    expect(upperBound({ ...never, mean: 0 }, 'error_rate', 3)).toBeCloseTo(0.03);
  });
});

test('[alert.thresholds] a budget alert is a warning at 80 % and critical at 100 %', () => {
  const status = (used_microusd: number, limit_microusd = 100) => ({
    ...({ account: 'tenant', scope: 'tenant', period: 'month', tier: 'ok' } as const),
    limit_microusd,
    used_microusd,
    reserved_microusd: 0,
  });
  const severity = (...of: Parameters<typeof status>) => budgetThresholds('a', [status(...of)])[0]?.firing?.severity;
  expect([79, 80, 99, 100, 140].map((used) => severity(used))).toEqual([
    undefined,
    'warning',
    'warning',
    'critical',
    'critical',
  ]);
  expect(severity(0, 0)).toBeUndefined();
});

test('[alert.thresholds] a disabled guard is a warning and break-glass is critical; with neither, no alert opens', () => {
  const of = (break_glass: boolean, disable_guards: string[]) =>
    disabledSafeguards({ policies: { break_glass }, tool_policies: { disable_guards } } as never).map(
      ({ metric, value, firing }) => [metric, value, firing?.severity],
    );
  expect(of(true, ['secrets', 'secrets'])).toEqual([
    ['break_glass', 1, 'critical'],
    ['guards_disabled', 1, 'warning'],
  ]);
  expect(of(false, [])).toEqual([
    ['break_glass', 0, undefined],
    ['guards_disabled', 0, undefined],
  ]);
});
