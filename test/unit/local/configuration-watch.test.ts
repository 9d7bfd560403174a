/**
 * The configuration file of a local run is imported again whenever it changes, however early, but never when half
 * written.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import promises from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { watchConfiguration } from '../../../bin/local/configuration-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'watch-'));
const file = join(folder, 'gateway.yaml');
afterAll(() => rmSync(folder, { recursive: true }));

test('a change immediately after the start is not missed', async () => {
  writeFileSync(file, 'version: 1\n');
  const changed = Promise.withResolvers<void>();
  const watch = await watchConfiguration(file, async () => changed.resolve());
  writeFileSync(file, 'version: 1 # changed\n');
  await changed.promise;
  await watch.stop();
});

test('[policy.hot-reload] a file that is still being written is not loaded', async () => {
  writeFileSync(file, 'version: 1\n');
  const looks = ['version: 1\n', '', 'version: 1\ntenants:\n', 'version: 1\ntenants: []\n'];
  const read = jest
    .spyOn(promises, 'readFile')
    .mockImplementation(async () => Buffer.from(looks.length > 1 ? `${looks.shift()}` : `${looks[0]}`));
  let left: number | undefined;
  const changed = Promise.withResolvers<void>();
  const watch = await watchConfiguration(file, async () => {
    left ??= looks.length;
    changed.resolve();
  });
  await changed.promise;
  await watch.stop();
  read.mockRestore();
  expect(left).toBe(1);
});
