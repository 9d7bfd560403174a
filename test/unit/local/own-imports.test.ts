/** `bin/compile-cache.mjs` resolves the checkout's own imports as Node does. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(__dirname, '../../..');

/** Runs a program in the checkout with the module that `npm start` loads first, and returns its output. */
const run = (program: string) => {
  const words = ['--import', './bin/compile-cache.mjs', '--input-type=module', '--eval', program];
  return execFileSync(process.execPath, words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
};

test.each([
  ['#core/kernel/errors.ts', 'core/kernel/errors.ts'],
  ['#agentctl/own-folder.ts', 'bin/agentctl/own-folder.ts'],
  ['./core/kernel/errors.ts', 'core/kernel/errors.ts'],
])('%s is the module that Node finds by its address', (specifier, file) => {
  const address = pathToFileURL(join(root, file)).href;
  expect(run(`console.log((await import('${specifier}')) === (await import('${address}')))`)).toBe('true\n');
});

test('a missing file is reported with its path', () => {
  expect(() => run("await import('#core/kernel/missing.ts')")).toThrow(/core\/kernel\/missing\.ts/);
});
