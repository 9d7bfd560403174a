/** The mutation run: what it changes, which tests it runs for a file, and that each change it leaves out still exists. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { equivalents, isOf } from '../../mutation/equivalent.ts';
import { mutantsOf } from '../../mutation/mutants.ts';
import { reachingTests } from '../../mutation/reaching.ts';
import { shuffled } from '../../mutation/shuffled.ts';

const root = join(__dirname, '../../..');
const changes = (source: string) => mutantsOf('a.ts', source).map(({ from, to }) => `${from} → ${to}`);

test.each<[string, string[]]>([
  ['export const a = b < c;', ['b < c → b <= c']],
  ['export const a = b && c;', ['b && c → b || c']],
  ["export const a = 'x' + b;", []],
  ['export const a = b + 1;', ['b + 1 → b - 1', '1 → (1 + 1)']],
  ['export const a = b ? true : c;', ['b → !(b)', 'true → false']],
  ['export const a = b === c ? d : e;', ['b === c → b !== c']],
  ["const a = 1;\nimport { b } from 'b';\ntype C = 5;", ['1 → (1 + 1)']],
  ['export function a() {\n  note();\n  return b;\n}', ['note(); → ;']],
  ['export async function a() {\n  await note();\n}', ['await note(); → ;']],
])('%s', (source, expected) => expect(changes(source)).toEqual(expected));

test('a mutant knows its line, its text and the whole file with the change', () => {
  const source = "const sign = '€';\n\nexport const a = (b: number) =>\n  b > 0;\n";
  expect(mutantsOf('a.ts', source)[0]).toEqual({
    ...{ file: 'a.ts', line: 4, context: 'b > 0;', from: 'b > 0', to: 'b >= 0' },
    text: source.replace('b > 0', 'b >= 0'),
  });
});

test('a seed gives one order of all, another seed another', () => {
  const items = Array.from({ length: 100 }, (_, n) => n);
  expect(shuffled(items, 7)).toEqual(shuffled(items, 7));
  expect(shuffled(items, 7)).not.toEqual(shuffled(items, 8));
  expect(shuffled(items, 7).toSorted((a, b) => a - b)).toEqual(items);
});

test('the tests of a file are those that import it, the nearest first, and none by its types alone', () => {
  const files = ['core', 'test/unit'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join(folder, file)),
  );
  const testsOf = reachingTests(root, files, /^test\/unit\/.*\.test\.ts$/);
  expect(testsOf('core/approvals/vote.ts').slice(0, 2)).toEqual([
    'test/unit/approvals/several-votes.test.ts',
    'test/unit/approvals/vote.test.ts',
  ]);
  expect(testsOf('core/approvals/due.ts')).toContain('test/unit/approvals/sweep.test.ts');
  expect(testsOf('core/approvals/ports.ts')).toEqual([]);
});

test('what is left out as having no effect exists, and has a reason', () => {
  for (const known of equivalents) {
    const mutants = mutantsOf(known.file, readFileSync(join(root, known.file), 'utf8'));
    expect(mutants.filter((mutant) => isOf(known, mutant)).map(() => known)).toContain(known);
    expect(known.reason).toMatch(/^[A-Z`].{20,}\.$/);
  }
});
