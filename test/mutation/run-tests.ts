/** Runs a list of test files in a process of its own that cannot grow or run without end. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** Far more than the slowest list of one file takes on a busy machine: what is still running then does not end. */
const maxMs = 300_000;
const heapMb = 1500;

export type TestsResult = 'passed' | 'failed' | 'timed out';

/** @param before set for the tests without a change: their report is shown, and they have all the time they need. */
export function runTests(root: string, folder: string, tests: readonly string[], before = false): Promise<TestsResult> {
  if (tests.length === 0) return Promise.resolve('passed');
  const jest = join(root, 'node_modules/jest/bin/jest.js');
  const order = `--testSequencer=${join(import.meta.dirname, 'given-order.mjs')}`;
  const options = ['--runInBand', '--bail', '--silent', order, '--runTestsByPath', ...tests];
  // In a group of its own: a process that a test started ends with it.
  const child = spawn(process.execPath, [`--max-old-space-size=${heapMb}`, jest, ...options], {
    ...{ cwd: folder, stdio: before ? 'inherit' : 'ignore', detached: true },
    env: { ...process.env, MUTATION_TESTS: tests.join() },
  });
  const endGroup = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // Nothing of it is left.
    }
  };
  return new Promise((resolve) => {
    let late = false;
    const timer = setTimeout(
      () => {
        late = true;
        endGroup();
      },
      before ? 20 * maxMs : maxMs,
    );
    child.on('error', () => resolve('failed'));
    child.on('exit', (code) => {
      clearTimeout(timer);
      endGroup();
      if (late) resolve('timed out');
      else resolve(code === 0 ? 'passed' : 'failed');
    });
  });
}
