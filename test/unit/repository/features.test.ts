/**
 * Without the lines and the folders of features, the product has its types, its stacks, and a gateway that starts. Each
 * group lacks some of them, so that for any two features there is a group with the one and without the other.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { thorough } from '../../support/extent.ts';

const root = join(__dirname, '../../..');
const lists = ['features/index.ts', 'features/quick-commands.ts'];
const linesOf = (list: string) => readFileSync(join(root, list), 'utf8');
const features = [...linesOf(lists[0]!).matchAll(/^export .* from '\.\/([\w-]+)\/feature\.ts';$/gm)];
const names = features.map(([, name]) => name!);

const groups = [0, 1, 2, 3, 4, 5];
/** Three groups for each feature: no two of these triples are the same, so each has a group that the other lacks. */
const triples = groups.flatMap((a) => groups.slice(a + 1).flatMap((b) => groups.slice(b + 1).map((c) => [a, b, c])));
const missing = groups.map((group) => names.filter((_, at) => triples[at]!.includes(group)));

const tests = [
  'test/infra/routes.test',
  'test/e2e/story.test',
  'test/unit/requirements',
  'test/unit/operations',
  'test/contract/sums-by-path',
];

const whole = thorough ? describe : describe.skip;
whole('without features', () => {
  let copy: string;
  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'without-'));
    const files = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
      cwd: root,
      encoding: 'utf8',
    });
    for (const file of files.stdout.split('\n')) if (file !== '') cpSync(join(root, file), join(copy, file));
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    const { include } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
    const product = include.filter((folder: string) => !['test', 'bench'].includes(folder));
    writeFileSync(
      join(copy, 'tsconfig.product.json'),
      JSON.stringify({ extends: './tsconfig.json', include: product }),
    );
  });
  afterAll(() => rmSync(copy, { recursive: true }));

  const leaveOut = (left: readonly string[]): void => {
    for (const name of names)
      if (left.includes(name)) rmSync(join(copy, 'features', name), { recursive: true, force: true });
      else cpSync(join(root, 'features', name), join(copy, 'features', name), { recursive: true });
    for (const list of lists) {
      const ofLeft = new RegExp(`^export .* from '\\./(${left.join('|')})/.*\n`, 'gm');
      writeFileSync(join(copy, list), linesOf(list).replace(ofLeft, ''));
    }
  };

  const run = (program: string, ...given: string[]): void => {
    const { status, stdout, stderr } = spawnSync(join(root, 'node_modules/.bin', program), given, {
      cwd: copy,
      encoding: 'utf8',
    });
    expect([program, status, status === 0 ? '' : stdout + stderr]).toEqual([program, 0, '']);
  };

  describe.each(missing.map((left, group) => ({ left, group })))('$left', ({ left, group }) => {
    beforeAll(() => leaveOut(left));

    test('[features.removable] the types are right', () => {
      // What an earlier group has found of files that do not change is not looked for once more.
      run('tsc', '-p', 'tsconfig.product.json', '--tsBuildInfoFile', 'product.tsbuildinfo');
      run('tsc', '-p', 'console', '--tsBuildInfoFile', 'console.tsbuildinfo');
    });

    if (group < 2)
      test('[features.removable] the stacks are synthesized, a gateway starts, and its tests pass', () => {
        run('node', 'bin/reference.ts');
        run('jest', '-w', '1', ...tests);
      });
  });

  test('each feature is missing where stacks are synthesized and a gateway starts', () =>
    expect(new Set([...missing[0]!, ...missing[1]!])).toEqual(new Set(names)));

  test('for any two features there is a group with the one and without the other', () => {
    const lacks = (name: string) => missing.filter((left) => left.includes(name));
    for (const one of names)
      for (const other of names) if (one !== other) expect(lacks(one).some((left) => !left.includes(other))).toBe(true);
  });
});
