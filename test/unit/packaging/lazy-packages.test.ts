/** Packages imported on demand by name: in a bundle, a CommonJS package has only its default export. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../../..');
const sources = ['adapters', 'bin', 'core', 'lambdas', 'operator'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(root, folder, file)),
);

const nameOf = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)![0];

function isModule(name: string): boolean {
  const manifest = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'));
  return (
    manifest.type === 'module' || 'module' in manifest || /"import"|\.mjs"/.test(JSON.stringify(manifest.exports ?? {}))
  );
}

test('[package.installs] every package imported by name on demand is an ECMAScript module', () => {
  const named = sources.flatMap((file) =>
    [
      ...readFileSync(file, 'utf8').matchAll(/\{ (?!default\b)[^{}]*\} = await import\('(?!node:)([^.#/'][^']*)'\)/g),
    ].map(([, specifier]) => nameOf(specifier!)),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !isModule(name))).toEqual([]);
});
