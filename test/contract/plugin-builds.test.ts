/**
 * The committed modules were built from the sources next to them. `.ci/run` compiles them again and compares the bytes.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

test('[plugin.shipped] the built modules match these sources; if not, run `npm run plugins`', () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['plugins/sources.mjs'], { encoding: 'utf8' });
  expect([stdout, stderr]).toEqual([readFileSync('plugins/sources.sha256', 'utf8'), '']);
});
