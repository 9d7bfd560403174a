/** Every export is used by another file. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

const texts = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8', maxBuffer: 1 << 26 })
  .split('\n')
  .filter((path) => /\.(ts|tsx|mjs)$/.test(path) && existsSync(path))
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }));

/** Number of files that contain each word. */
const files = new Map<string, number>();
for (const { text } of texts) {
  for (const word of new Set(text.match(/[A-Za-z_$][\w$]*/g))) files.set(word, (files.get(word) ?? 0) + 1);
}

test('every exported function, constant, class and type is used in a file that imports its file', () => {
  /** Words of the files that import a file, by its name. The users of a module loaded as a whole may be elsewhere. */
  const importers = new Map<string, Set<string>[]>();
  const loadedWhole = new Set<string>();
  for (const { text } of texts) {
    const words = new Set(text.match(/[A-Za-z_$][\w$]*/g));
    for (const file of new Set(text.match(/[\w.-]+\.(?:tsx?|mjs)(?=['"])/g)))
      importers.set(file, [...(importers.get(file) ?? []), words]);
    for (const [, file = ''] of text.matchAll(/import\(['"][^'"]*?([\w.-]+)['"]\)/g)) loadedWhole.add(file);
  }
  const isUsed = (file: string, name: string): boolean =>
    importers.get(file)?.some((words) => words.has(name)) || (loadedWhole.has(file) && files.get(name)! > 1);
  const alone = texts
    .filter(({ path }) => /^(?:core|features|adapters|lambdas|lib|bin(?!\/unicode)|operator|console)\//.test(path))
    .flatMap(({ path, text }) =>
      [
        ...text.matchAll(
          /^export (?:async )?(?:function\*?|const|(?:abstract )?class|interface|type) ([A-Za-z_$][\w$]*)/gm,
        ),
      ]
        .filter(([, name = '']) => !isUsed(basename(path), name))
        .map(([, name]) => `${path}: ${name}`),
    );
  expect(alone).toEqual([]);
});

/**
 * Exports for tests to compare with: rows of a document, lists named in messages, and the settings that an entry names.
 */
const comparedWith = ['grafanaPanels', 'namedLists', 'settingsOf', 'storeRates'];

test('no function, constant or class exists only for tests', () => {
  const product = texts.filter(
    ({ path }) =>
      !/\.test\.ts$|^features\/[^/]+\/test\//.test(path) &&
      /^(?:core|features|adapters|lambdas|lib|bin|bench|operator|console)\/|^packaging\/function-entries/.test(path),
  );
  const uses = new Map<string, number>();
  for (const { text } of product)
    for (const word of text.match(/[A-Za-z_$][\w$]*/g) ?? []) uses.set(word, (uses.get(word) ?? 0) + 1);
  const unused = product.flatMap(({ path, text }) =>
    [...text.matchAll(/^export (?:async )?(?:function\*?|const|(?:abstract )?class) ([A-Za-z_$][\w$]*)/gm)]
      .map(([, name = '']) => name)
      .filter((name) => uses.get(name) === 1 && !comparedWith.includes(name))
      .map((name) => `${path}: ${name}`),
  );
  expect(unused).toEqual([]);
});
