import { lazyImport } from '#core/kernel/lazy-import.ts';

it('loads a module with its first use, and again only where that failed', async () => {
  const answers = [Promise.reject(new Error('not there')), Promise.resolve({ name: 'm' })];
  let asked = 0;
  const use = lazyImport(() => answers[asked++]!);

  await expect(use()).rejects.toThrow('not there');
  await expect(use()).resolves.toEqual({ name: 'm' });
  expect(use()).toEqual({ name: 'm' });
  expect(asked).toBe(2);
});
