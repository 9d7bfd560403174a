/** What a minute of much traffic comes to in the store [analytics.bounded]. */
import { sumsOfAll, sumUpdate } from '#adapters/dynamodb/observation-items.ts';
import { withMinutes } from '#adapters/dynamodb/observation-minutes.ts';
import { projectEntry } from '#core/observatory/project.ts';
import { runs } from '../support/extent.ts';
import { sampleChat } from '../unit/observatory/sample.ts';

/** Bytes of a DynamoDB item: names and values, as its pricing counts them; numbers take half a byte a digit and one more. */
function itemBytes(update: ReturnType<typeof sumUpdate>): number {
  const { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {}, Key = {} } = update;
  const key = [...Object.keys(Key), ...Object.values(Key).map(({ S = '' }) => S)].join('');
  const numbers = Object.values(values).map(({ N = '' }) => Math.ceil(N.length / 2) + 1);
  return Buffer.byteLength(key + Object.values(names).join('')) + numbers.reduce((sum, each) => sum + each, 0);
}

const batch = { writer: '0123456789', number: 1 };
const sizes = async (entries: ReturnType<typeof sampleChat>[]) => {
  const counted = await withMinutes(entries.map(projectEntry), async (_scope, dimension) => dimension);
  const minutes = sumsOfAll(counted).filter(({ series }) => series.includes('#minutes#'));
  return minutes.map((sum) => ({ series: sum.series, bytes: itemBytes(sumUpdate('observations', batch, sum)) }));
};

/** 52,208 items where 1,000 tenants do. */
test('[analytics.bounded] tenants with 50 models fill 52 items a minute each, and 208 of the platform', async () => {
  const one = sampleChat(0);
  const tenants = runs(1_000, 100);
  const pairs = Array.from({ length: tenants * 50 }, (_, n) => ({
    ...one,
    tenant: `tenant-${Math.floor(n / 50)}`,
    body: { ...one.body, resolved_model: `model-${n % 50}`, latency_ms: n % 5_000 },
  }));
  const items = await sizes(pairs);
  const total = items.reduce((sum, { bytes }) => sum + bytes, 0);
  const own = items.filter(({ series }) => !series.startsWith('*'));
  expect(own).toHaveLength(tenants * (1 + 1 + 50));
  expect(items.length - own.length).toBe(4 + 4 + 4 * 50);
  expect(total / items.length).toBeLessThan(200);
  expect(Math.max(...items.map(({ bytes }) => bytes))).toBeLessThan(8_000);
});

test('[analytics.bounded] an item holds every bin there is in less than 16 kB', async () => {
  const entries = Array.from({ length: 2_000 }, (_, n) =>
    sampleChat(n, { latency_ms: Math.round(Math.exp(n / 100)) }, { timestamp: '2026-01-01T00:00:00.000Z' }),
  );
  const items = await sizes(entries);
  expect(Math.max(...items.map(({ bytes }) => bytes))).toBeLessThan(16_000);
});
