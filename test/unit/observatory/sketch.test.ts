import fc from 'fast-check';
import { parseStep } from '#core/observatory/buckets.ts';
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

test('[admin.analytics] each percentile is within 2 % of the exact value', () => {
  fc.assert(
    fc.property(latencies, (values) => {
      for (const [n, found] of percentiles(sketchOf(values), shares).entries()) {
        const wanted = exact(values, shares[n]!);
        expect(Math.abs(found! - wanted)).toBeLessThanOrEqual(0.02 * wanted);
      }
    }),
  );
});

test('[admin.analytics] sketches of separate parts merge into the same sketch as the whole, in any order', () => {
  fc.assert(
    fc.property(latencies, latencies, (a, b) => {
      const parts = [sketchOf(b), sketchOf(a)];
      expect(percentiles(addUp(parts), shares)).toEqual(percentiles(sketchOf([...a, ...b]), shares));
    }),
  );
});

test('the number of bins in a sketch is bounded, whatever the latencies', () => {
  const values = Array.from({ length: 20_000 }, (_, n) => Math.round(1.002 ** n));
  const bins = Object.keys(sketchOf([...values.filter(Number.isFinite), Number.MAX_SAFE_INTEGER]));
  expect(bins.length).toBeLessThanOrEqual(915);
  expect(percentiles(sketchOf([Number.MAX_SAFE_INTEGER]), [1])[0]).toBeLessThan(86_400_000 * 1.02);
});

describe('[admin.analytics] buckets', () => {
  test.each(['2m', '', '60', 'constructor'])('step %j is refused', (step) => {
    expect(() => parseStep(step)).toThrow('1m, 5m or 1h');
  });
});

describe('[admin.analytics] a dimension', () => {
  test.each(['global', 'tenant:a', 'model:gpt-4o:free', 'tool:constructor', 'provider:ö'])('%j is one', (text) => {
    expect(parseDimension(text)).toBe(text);
  });

  test.each(['', 'models', 'model', 'model:', ':a', 'Global', '__proto__:a'])('%j is refused', (text) => {
    expect(() => parseDimension(text)).toThrow('must be global, tenant:<id>');
  });

  test('a dimension with a long name is shortened but stays unique', () => {
    const [a, b] = ['x'.repeat(5000), `${'x'.repeat(4999)}y`].map((name) => dimensionOf('tool', name));
    expect(a).not.toBe(b);
    expect(a!.length).toBeLessThanOrEqual(133);
    expect(parseDimension(`tool:${'x'.repeat(5000)}`)).toBe(a);
  });
});
