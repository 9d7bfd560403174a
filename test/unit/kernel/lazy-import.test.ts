import { importedSoon, importNeededSoon, lazyImport } from '#core/kernel/lazy-import.ts';

it('loads a module on first use, and reloads it only after a failure', async () => {
  const answers = [Promise.reject(new Error('not there')), Promise.resolve({ name: 'm' })];
  let asked = 0;
  const use = lazyImport(() => answers[asked++]!);

  await expect(use()).rejects.toThrow('not there');
  await expect(use()).resolves.toEqual({ name: 'm' });
  expect(use()).toEqual({ name: 'm' });
  expect(asked).toBe(2);
});

it('preloads the modules that the first call needs; a load failure is reported by that call', async () => {
  const failing = importedSoon(() => Promise.reject(new Error('not there')));
  const loaded = importedSoon(() => Promise.resolve({ name: 'm' }));
  await importNeededSoon();
  expect(loaded()).toEqual({ name: 'm' });
  await expect(failing()).rejects.toThrow('not there');
});
