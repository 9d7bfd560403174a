/** The modules that are committed are what their sources compile to. */
import { spawnSync } from 'node:child_process';

test('[plugin.shipped] each module, and the copy that the tool guard runs, equals the build of its sources', () => {
  const { status, stderr } = spawnSync(process.execPath, ['plugins/build.mjs', '--check'], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});
