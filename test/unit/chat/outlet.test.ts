import { Outlet } from '#core/chat/outlet.ts';

const read = async <T>(from: AsyncIterable<T>): Promise<T[]> => {
  const values: T[] = [];
  for await (const value of from) values.push(value);
  return values;
};

test('hands on what is written, in order, whether the reader waits or lags', async () => {
  const outlet = new Outlet<number>();
  outlet.write(1);
  const reading = read(outlet);
  await Promise.resolve();
  outlet.write(2);
  outlet.write(3);
  outlet.end();
  expect(await reading).toEqual([1, 2, 3]);
});

test('makes a writer wait for a slow reader, and lets it go on when the reader catches up', async () => {
  const outlet = new Outlet<number>();
  let waits: Promise<void> | undefined;
  let written = 0;
  while (!waits) waits = outlet.write(written++);
  expect(written).toBe(Outlet.room);
  const reader = outlet[Symbol.asyncIterator]();
  for (let at = 0; at < Outlet.room; at++) expect((await reader.next()).value).toBe(at);
  await expect(waits).resolves.toBeUndefined();
});

test('a reader that leaves frees a waiting writer; what follows goes nowhere', async () => {
  const outlet = new Outlet<number>();
  let waits: Promise<void> | undefined;
  while (!waits) waits = outlet.write(0);
  await outlet[Symbol.asyncIterator]().return?.();
  await waits;
  expect(outlet.gone).toBe(true);
  expect(outlet.write(1)).toBeUndefined();
  expect(await read(outlet)).toEqual([]);
});
