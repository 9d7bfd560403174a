/** The transparency log in a bucket that accepts each object once, and readers that never write. */
import { logBucket } from '#adapters/aws/log-bucket.ts';
import type { ChainPoint } from '#core/contracts/evidence.ts';
import { LogReader } from '#core/evidence/transparency/log-reader.ts';
import type { LogObjects } from '#core/evidence/transparency/ports.ts';
import { checkLogProof } from '#core/evidence/transparency/session-proof.ts';
import { tileAt } from '#core/evidence/transparency/tiles.ts';
import { FakeBucket } from '../support/fake-bucket.ts';
import { pointOf, testLog } from '../support/transparency.ts';
import { useStarted } from '../support/use-started.ts';

let bucket: FakeBucket;
const kept = useStarted(() => testLog(), 'test');
beforeEach(() => {
  bucket = new FakeBucket(100);
});

const objects = () => logBucket({ bucket: 'archive', client: bucket.client });
const reader = () => new LogReader({ heads: kept.heads, objects: objects(), signer: kept.signer });
const many = (from: number, count: number) => Array.from({ length: count }, (_, i) => pointOf(`s-${from + i}`, 0));

/** A writer that commits its second batch and stops before the first object of it is put. */
async function stopsAfterCommit(first: readonly ChainPoint[], second: readonly ChainPoint[]): Promise<void> {
  const own = objects();
  let stopped = false;
  const put: LogObjects['put'] = (...args) => (stopped ? Promise.reject(new Error('stopped')) : own.put(...args));
  const log = kept.opened({ objects: { ...own, put } });
  await log.append(first);
  stopped = true;
  await expect(log.append(second)).rejects.toThrow('stopped');
}

async function proved(log: LogReader, session_id: string, size: number) {
  const trust = { log: await kept.signer('default') };
  const proof = checkLogProof(await log.proof('default', session_id), { tenant: 'default', session_id }, trust);
  expect(proof).toMatchObject({ size });
}

test('[transparency.log] a log over a bucket without removal and replacement proves every session', async () => {
  const log = kept.opened({ objects: objects() });
  for (const [from, count] of [
    [0, 200],
    [200, 100],
    [300, 256],
  ] as const)
    await log.append(many(from, count));
  for (const n of [0, 199, 200, 255, 256, 511, 512, 555]) await proved(reader(), `s-${n}`, 556);
  expect(await reader().consistency('default', 200, 556)).toEqual(await log.consistency('default', 200, 556));
  expect([...bucket.objects.keys()].every((key) => key.startsWith('@log/default/'))).toBe(true);
});

test('[transparency.log] a reader shows a batch whose writer stopped before the put, and writes nothing', async () => {
  await stopsAfterCommit(many(0, 250), many(250, 10));
  const before = bucket.objects.size;
  // The batch fills a tile; neither its objects nor its sessions are in place.
  for (const n of [0, 249, 250, 259]) await proved(reader(), `s-${n}`, 260);
  const shown = await Promise.all([0, 1].map((index) => reader().tile('default', tileAt('entries', index, 260)!)));
  const grown = await reader().consistency('default', 250, 260);
  expect(bucket.objects.size).toBe(before);

  const next = kept.opened({ objects: objects() });
  await next.append([pointOf('late', 0)]);
  expect(await next.tile('default', { level: 'entries', index: 0, width: 256 })).toEqual(shown[0]);
  expect(await next.consistency('default', 250, 260)).toEqual(grown);
  await proved(reader(), 's-255', 261);
});

test('[transparency.log] a reader does not answer for a log whose objects are cut', async () => {
  await kept.opened({ objects: objects() }).append(many(0, 20));
  await kept.opened({ objects: objects() }).append(many(20, 20));
  const [first = ''] = [...bucket.objects.keys()].sort();
  bucket.objects.delete(first);
  await expect(reader().proof('default', 's-3')).rejects.toThrow('The log cannot be relied on');
});
