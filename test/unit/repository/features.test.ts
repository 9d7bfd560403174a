/** Without the line and the folder of a feature, the product has its types, its stacks, and a gateway that starts. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { thorough } from '../../support/extent.ts';

const root = join(__dirname, '../../..');
const list = 'features/index.ts';
const listed = readFileSync(join(root, list), 'utf8').matchAll(/^export .* from '\.\/([\w-]+)\/feature\.ts';$/gm);
const names = [...listed].map(([, name]) => name!);

const withoutLinesOf = (name: string, text: string): string =>
  text.replace(new RegExp(`^export .* from '\\./${name}/.*\n`, 'gm'), '');

/** Features that other parts of the product meet in many places: without them a gateway is started, and tests are run. */
const started = ['graphql', 'in-force', 'recommendations'];
const tests = ['test/e2e/story.test', 'test/unit/requirements', 'test/unit/operations', 'test/contract/sums-by-path'];

const whole = thorough ? describe : describe.skip;
whole.each(names)('without %s', (name) => {
  let copy: string;
  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'without-'));
    const files = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
      cwd: root,
      encoding: 'utf8',
    });
    for (const file of files.stdout.split('\n'))
      if (file !== '' && !file.startsWith(`features/${name}/`)) cpSync(join(root, file), join(copy, file));
    for (const file of [list, 'features/quick-commands.ts'])
      writeFileSync(join(copy, file), withoutLinesOf(name, readFileSync(join(root, file), 'utf8')));
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  });
  afterAll(() => rmSync(copy, { recursive: true }));

  const run = (program: string, ...given: string[]): void => {
    const { status, stdout, stderr } = spawnSync(join(root, 'node_modules/.bin', program), given, {
      cwd: copy,
      encoding: 'utf8',
    });
    expect([program, status, status === 0 ? '' : stdout + stderr]).toEqual([program, 0, '']);
  };

  test('[features.removable] the types are right', () => {
    run('tsc', '--incremental', 'false', '--tsBuildInfoFile', 'null');
    run('tsc', '-p', 'console', '--incremental', 'false', '--tsBuildInfoFile', 'null');
  });

  test('[features.removable] the stacks are synthesized', () => run('jest', '-w', '1', 'test/infra/routes.test'));

  if (started.includes(name))
    test('[features.removable] a gateway starts, and its tests pass', () => {
      run('node', 'bin/reference.ts');
      run('jest', '-w', '1', ...tests);
    });
});
