/** No test of the suite fails because the machine is busy: the time-out of all is the shortest there is. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../../..');
const text = (file: string): string => readFileSync(join(root, file), 'utf8');
const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => join('test', file));

/** The time-outs that a test file sets for itself: of all its tests, and of one test or hook. */
const own = (source: string): number[] =>
  [...source.matchAll(/^jest\.setTimeout\(([\d_]+)\)|^ *\}, (\d+_\d+)\);$|^ *\},\n *(\d+_\d+),\n *\);$/gm)].map(
    (match) => Number((match[1] ?? match[2] ?? match[3])?.replaceAll('_', '')),
  );

test('a test waits for fifteen minutes at least', () => {
  const ofAll = Number(/testTimeout: ([\d_]+)/.exec(text('jest.config.mjs'))?.[1]?.replaceAll('_', ''));
  expect(ofAll).toBeGreaterThanOrEqual(900_000);
  expect(
    own("jest.setTimeout(5);\ntest('a', () => {\n}, 30_000);\ntest(\n  'b',\n  () => {\n  },\n  7_000,\n);"),
  ).toEqual([5, 30_000, 7_000]);
  const shorter = tests.filter((file) => own(text(file)).some((ms) => ms < ofAll));
  expect(tests.length).toBeGreaterThan(400);
  expect(shorter).toEqual([]);
});
