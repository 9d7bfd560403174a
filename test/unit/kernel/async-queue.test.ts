import { AsyncQueue } from '#core/kernel/async-queue.ts';

const read = async <T>(from: AsyncIterable<T>): Promise<T[]> => {
  const values: T[] = [];
  for await (const value of from) values.push(value);
  return values;
};

test('delivers writes in order, whether the reader is waiting or behind', async () => {
  const queue = new AsyncQueue<number>();
  queue.write(1);
  const reading = read(queue);
  await Promise.resolve();
  queue.write(2);
  queue.write(3);
  queue.end();
  expect(await reading).toEqual([1, 2, 3]);
});

test('makes a writer wait for a slow reader, and releases the writer when the reader catches up', async () => {
  const queue = new AsyncQueue<number>();
  let waits: Promise<void> | undefined;
  let written = 0;
  while (!waits) waits = queue.write(written++);
  expect(written).toBe(AsyncQueue.capacity);
  const reader = queue[Symbol.asyncIterator]();
  for (let at = 0; at < AsyncQueue.capacity; at++) expect((await reader.next()).value).toBe(at);
  await expect(waits).resolves.toBeUndefined();
});

test('when a reader leaves, a waiting writer is released and later writes are dropped', async () => {
  const queue = new AsyncQueue<number>();
  let waits: Promise<void> | undefined;
  while (!waits) waits = queue.write(0);
  await queue[Symbol.asyncIterator]().return?.();
  await waits;
  expect(queue.gone).toBe(true);
  expect(queue.write(1)).toBeUndefined();
  expect(await read(queue)).toEqual([]);
});
