/**
 * Runs before all tests. Tests and the processes they start keep temporary files in one folder, which
 * `remove-temporary-folder.mjs` removes after all tests. Compiled code is kept where a later run finds it.
 */
import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export default function create() {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'tests-'));
  chmodSync(folder, 0o711); // some tests start programs as other users, whose files are below it
  // Workers are started after this and inherit both.
  process.env.TMPDIR = folder;
  process.env.TESTS_TMPDIR = folder;
  process.env.NODE_COMPILE_CACHE ??= resolve(import.meta.dirname, '../../node_modules/.cache/compiled');
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  // A process ended by a signal does not emit that event.
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => {
      remove();
      process.kill(process.pid, signal);
    });
}
