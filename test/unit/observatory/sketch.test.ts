import fc from 'fast-check';
import { bucketsOf, parseStep, totalsOf } from '#core/observatory/buckets.ts';
import { dimensionOf, parseDimension } from '#core/observatory/dimensions.ts';
import { addUp } from '#core/observatory/measures.ts';
import { latencyMeasures, percentiles } from '#core/observatory/sketch.ts';

const sketchOf = (values: readonly number[]) => addUp(values.map(latencyMeasures));
const exact = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.ceil(share * values.length - 1e-9) - 1]!;
const shares = [0.01, 0.5, 0.9, 0.95, 0.99, 1];
const latencies = fc.array(
  fc.oneof(
    fc.integer({ min: 0, max: 100 }),
    fc.integer({ min: 0, max: 20_000 }),
    fc.integer({ min: 0, max: 86_400_000 }),
  ),
  { minLength: 1, maxLength: 200 },
);

test('[analytics.percentiles] each percentile lies within 2 % of the exact one', () => {
  fc.assert(
    fc.property(latencies, (values) => {
      for (const [n, found] of percentiles(sketchOf(values), shares).entries()) {
        const wanted = exact(values, shares[n]!);
        expect(Math.abs(found! - wanted)).toBeLessThanOrEqual(0.02 * wanted);
      }
    }),
  );
});

test('[analytics.percentiles] sketches of parts merge to the sketch of all, in any order', () => {
  fc.assert(
    fc.property(latencies, latencies, (a, b) => {
      const parts = [sketchOf(b), sketchOf(a)];
      expect(percentiles(addUp(parts), shares)).toEqual(percentiles(sketchOf([...a, ...b]), shares));
    }),
  );
});

test('the bins of a sketch are bounded, whatever the latencies', () => {
  const values = Array.from({ length: 20_000 }, (_, n) => Math.round(1.002 ** n));
  const bins = Object.keys(sketchOf([...values.filter(Number.isFinite), Number.MAX_SAFE_INTEGER]));
  expect(bins.length).toBeLessThanOrEqual(915);
  expect(percentiles(sketchOf([Number.MAX_SAFE_INTEGER]), [1])[0]).toBeLessThan(86_400_000 * 1.02);
});

test('nothing counted has no percentile', () => {
  expect(percentiles({ requests: 3 }, [0.5, 0.99])).toEqual([null, null]);
});

describe('[analytics.buckets] buckets', () => {
  const minute = (at: string, ...measures: object[]) => ({
    at: `2026-01-01T${at}:00.000Z`,
    measures: addUp([{ requests: 1 }, ...measures] as never),
  });

  test('of a step merge its minutes; a step without traffic has none', () => {
    const sums = [
      minute('00:01', latencyMeasures(10), { errors: 1, input_tokens: 3, output_tokens: 4, cost_microusd: 5 }),
      minute('00:04', latencyMeasures(1000), { reviewed: 1 }),
      minute('00:11', { blocked: 1 }),
    ];
    expect(bucketsOf(sums, '1m').map(({ timestamp }) => timestamp.slice(11, 16))).toEqual(['00:01', '00:04', '00:11']);
    expect(bucketsOf(sums, '5m')).toEqual([
      {
        timestamp: '2026-01-01T00:00:00.000Z',
        requests: 2,
        errors: 1,
        error_rate: 0.5,
        p50_latency_ms: 10,
        p95_latency_ms: expect.closeTo(1000, -2),
        p99_latency_ms: expect.closeTo(1000, -2),
        tokens: 7,
        cost_usd: 0.000005,
        blocked: 0,
        reviewed: 1,
      },
      expect.objectContaining({ timestamp: '2026-01-01T00:10:00.000Z', blocked: 1, p50_latency_ms: null }),
    ]);
    expect(bucketsOf(sums, '1h')).toHaveLength(1);
  });

  test('an execution that fails in a later minute than its decision is an error rate of one, not more', () => {
    expect(totalsOf([{ errors: 2 }])).toMatchObject({ requests: 0, errors: 2, error_rate: 1 });
  });

  test.each(['2m', '', '60', 'constructor'])('the step %j is refused', (step) => {
    expect(() => parseStep(step)).toThrow('1m, 5m or 1h');
  });
});

describe('[analytics.bounded] a dimension', () => {
  test.each(['global', 'tenant:a', 'model:gpt-4o:free', 'tool:constructor', 'provider:ö'])('%j is one', (text) => {
    expect(parseDimension(text)).toBe(text);
  });

  test.each(['', 'models', 'model', 'model:', ':a', 'Global', '__proto__:a'])('%j is refused', (text) => {
    expect(() => parseDimension(text)).toThrow('takes global, tenant:<id>');
  });

  test('with a long name is short and still its own', () => {
    const [a, b] = ['x'.repeat(5000), `${'x'.repeat(4999)}y`].map((name) => dimensionOf('tool', name));
    expect(a).not.toBe(b);
    expect(a!.length).toBeLessThanOrEqual(133);
    expect(parseDimension(`tool:${'x'.repeat(5000)}`)).toBe(a);
  });
});
