/** Caches of bounded size are the map of the kernel: a check by hand forgets everything at once, or grows with what callers choose. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** A map that is emptied, or loses its first entry, because of its size. */
const byHand = /\.size\s*>=?[^;]{0,80}?\.(?:clear\(\)|delete\([\w#.]+\.(?:keys|values)\(\)\.next\(\)|delete\(oldest)/;

test('[repository.bounded-maps] no file but the map of the kernel bounds a cache by hand', () => {
  const files = execFileSync(
    'git',
    ['ls-files', '-co', '--exclude-standard', 'core', 'adapters', 'lambdas', 'bin', 'operator'],
    {
      encoding: 'utf8',
    },
  )
    .split('\n')
    .filter((path) => path.endsWith('.ts') && existsSync(path));
  expect(files.length).toBeGreaterThan(1_000);
  expect(
    files.filter((path) => path !== 'core/kernel/recent-map.ts' && byHand.test(readFileSync(path, 'utf8'))),
  ).toEqual([]);
});

test.each([
  'if (known.size >= maxKnown) known.clear();',
  'if (known.size > maxKnown) known.delete(known.keys().next().value!);',
  'if (this.#known.size > max && oldest !== undefined) this.#known.delete(oldest);',
])('a bound by hand is found: %s', (line) => {
  expect(line).toMatch(byHand);
});
