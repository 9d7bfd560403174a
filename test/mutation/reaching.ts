/** Which tests can notice a change of a source file: those that import it, nearest first. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** `import`, `export … from` and `import()` of files of this repository; an import of types alone runs nothing. */
const imports =
  /(?:^|\n)\s*(?:import|export)\s(?!type\s)[^'";]*?from\s*'([^']+)'|import\(\s*'([^']+)'\s*\)|(?:^|\n)import\s+'([^']+)'/g;

/** A test that is far from a file loads it on the way to something else, and costs as much time as one that is meant for it. */
const maxStepsFurther = 2;
const maxTests = 8;

interface Reaching {
  readonly test: string;
  /** How many imports lie between the test and the file. */
  readonly steps: number;
}

/** For each source file, the tests of a kind that import it, directly or through others, with the nearest first. */
export function reachingTests(
  root: string,
  files: readonly string[],
  kind: RegExp,
): (source: string) => readonly string[] {
  const known = new Set(files);
  const imported = new Map<string, readonly string[]>();
  const importsOf = (file: string): readonly string[] => {
    const seen = imported.get(file);
    if (seen) return seen;
    const found = [...readFileSync(join(root, file), 'utf8').matchAll(imports)]
      .map((match) => resolved(file, match[1] ?? match[2] ?? match[3] ?? ''))
      .filter((path) => known.has(path));
    imported.set(file, found);
    return found;
  };

  const reached = new Map<string, Reaching[]>();
  for (const test of files.filter((file) => kind.test(file))) {
    for (const [source, steps] of stepsFrom(test, importsOf)) {
      const those = reached.get(source) ?? [];
      reached.set(source, [...those, { test, steps }]);
    }
  }
  return (source) => {
    const ranked = (reached.get(source) ?? []).toSorted(
      (a, b) => rank(a, source) - rank(b, source) || a.test.localeCompare(b.test),
    );
    const [nearest] = ranked;
    if (!nearest) return [];
    return ranked
      .filter((each) => rank(each, source) <= rank(nearest, source) + maxStepsFurther)
      .slice(0, maxTests)
      .map(({ test }) => test);
  };
}

/** Tests in the folder that mirrors the source come first. */
const rank = ({ test, steps }: Reaching, source: string): number =>
  steps - (test.startsWith(`${dirname(source).replace(/^core\/([^/]+).*/, 'test/unit/$1')}/`) ? 1 : 0);

function stepsFrom(test: string, importsOf: (file: string) => readonly string[]): Map<string, number> {
  const steps = new Map([[test, 0]]);
  const open = [test];
  for (let file = open.shift(); file !== undefined; file = open.shift()) {
    for (const next of importsOf(file)) {
      if (steps.has(next)) continue;
      steps.set(next, steps.get(file)! + 1);
      open.push(next);
    }
  }
  return steps;
}

const resolved = (from: string, name: string): string => {
  if (name.startsWith('#')) return name.slice(1);
  return name.startsWith('.') ? join(dirname(from), name) : name;
};
