/** The choice between a program's compiled code and its sources. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compiledCode, compiledFile, sourceOf } from '../../../bin/compiled.ts';

const checkout = resolve(__dirname, '../../..');
const root = mkdtempSync(join(tmpdir(), 'compiled-'));
afterAll(() => rmSync(root, { recursive: true }));

const files = ['core/a.ts', 'core/b.ts'];
beforeEach(() => {
  for (const folder of ['core', 'dist/local-1']) mkdirSync(join(root, folder), { recursive: true });
  for (const file of files) writeFileSync(join(root, file), 'export const x = 1;\n');
  const sources = files.map((file) => sourceOf(root, file));
  writeFileSync(join(root, 'dist/local.json'), JSON.stringify({ folder: 'dist/local-1', sources }));
});

const found = (environment: NodeJS.ProcessEnv = {}) => compiledFile('gateway', root, environment);

describe('[package.installs]', () => {
  test('compiled code is used while its sources are unchanged', () => {
    expect(fileURLToPath(found()!)).toBe(join(root, 'dist/local-1/gateway.mjs'));
    writeFileSync(join(root, 'core/c.ts'), ''); // not one of its sources
    expect(found()).toBeDefined();
  });

  const { mtimeMs } = statSync(__filename);
  test.each<[string, () => void]>([
    ['a source is longer', () => appendFileSync(join(root, 'core/b.ts'), ' ')],
    [
      'a source of the same length was written again',
      () => utimesSync(join(root, 'core/a.ts'), 0, mtimeMs / 1000 + 60),
    ],
    ['a source is older than it was', () => utimesSync(join(root, 'core/a.ts'), 0, 1)],
    ['a source is gone', () => rmSync(join(root, 'core/a.ts'))],
    ['the list is cut off', () => writeFileSync(join(root, 'dist/local.json'), '{"folder":')],
    ['nothing was compiled', () => rmSync(join(root, 'dist'), { recursive: true })],
  ])('the sources are run directly if %s', (_, change) => {
    change();
    expect(found()).toBeUndefined();
  });

  test('the sources are run directly on request', () => {
    expect(found({ GATEWAY_COMPILED: '0' })).toBeUndefined();
  });

  test('compiling produces the programs and worker threads of this checkout, and marks them as up to date', () => {
    execFileSync(process.execPath, ['packaging/compile.mjs'], { cwd: checkout });
    const { folder, sources } = compiledCode(checkout)!;
    for (const name of ['gateway', 'agentctl', 'operator', 'work-worker', 'wasm-worker'])
      expect(statSync(join(checkout, folder, `${name}.mjs`)).size).toBeGreaterThan(100);
    expect(sources.map(([file]) => file)).toEqual(
      expect.arrayContaining([
        ...['bin/local/main.ts', 'core/actions/govern.ts', 'adapters/work/worker.ts', 'package.json'],
        ...['packaging/gateway-code.mjs', 'node_modules/.package-lock.json'],
      ]),
    );
  });
});
