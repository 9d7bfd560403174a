/** The maps of the repository are whole: a newcomer finds each folder of the decision logic, and each page of the documents. */
import { readdirSync, readFileSync } from 'node:fs';

const pages = (folder: string) => readdirSync(`docs/${folder}`).map((name) => `${folder}/${name}`);

test('[repository.map] AGENTS.md says what each folder of core is for', () => {
  const [map = ''] = /^bin\/.*?^```$/ms.exec(readFileSync('AGENTS.md', 'utf8')) ?? [];
  const folders = readdirSync('core', { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.length).toBeGreaterThan(40);
  const missing = folders.filter(({ name }) => !new RegExp(`^  .*\\b${name}/`, 'm').test(map));
  expect(missing.map(({ name }) => name)).toEqual([]);
});

test('[repository.map] docs/README.md links each page of tutorial, how-to and explanation', () => {
  const index = readFileSync('docs/README.md', 'utf8');
  const all = ['tutorial', 'how-to', 'explanation'].flatMap(pages);
  expect(all.length).toBeGreaterThan(55);
  expect(all.filter((page) => !index.includes(`(${page})`))).toEqual([]);
});

test('[repository.map] test/unit mirrors the source: each of its folders has the name of a folder of code', () => {
  const foldersOf = (root: string) =>
    readdirSync(root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  const sources = new Set(['.', 'core', 'adapters', 'bin', 'lib'].flatMap(foldersOf));
  // Checks of the repository itself have no source but all of it.
  sources.add('repository');
  expect(foldersOf('test/unit').filter((name) => !sources.has(name))).toEqual([]);
});
