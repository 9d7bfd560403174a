/** The configuration file of a local run is imported again when it changes, however early. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { watchConfiguration } from '../../../bin/local/configuration-file.ts';

test('a change right after the start is not missed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'watch-'));
  const file = join(folder, 'gateway.yaml');
  writeFileSync(file, 'version: 1\n');
  const changed = Promise.withResolvers<void>();
  const watch = await watchConfiguration(file, async () => changed.resolve());
  writeFileSync(file, 'version: 1 # changed\n');
  await changed.promise;
  await watch.stop();
  rmSync(folder, { recursive: true });
});
