/** Declared dependencies are used, and used dependencies are declared; the repository's files agree on versions. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import packageJson from '#package' with { type: 'json' };

/** Packages used by their programs, by Jest, by the type checker, or at run time under a computed name. */
const usedOtherwise: Readonly<Record<string, RegExp>> = {
  '@biomejs/biome': /"lint": "biome /,
  'dependency-cruiser': /"boundaries": "depcruise /,
  'aws-cdk': /cdk synth/,
  jest: /"test": "jest /,
  node: /"start": "node /,
  '@swc/core': /"@swc\/jest"/,
  typescript: /"typecheck": "tsc/,
};
const typesOnly = /^@types\//;
/** Platform packages of one tool, whose names are built from the platform and the processor. */
const platforms = /^@dynoxide\//;

const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8', maxBuffer: 1 << 26 })
  .split('\n')
  .filter((path) => /\.(ts|tsx|mjs|js)$/.test(path) && existsSync(path));

/**
 * Pattern for specifiers after from, import and require and in bundler or Jest lists: `name`, `@scope/name`, optionally
 * followed by a path.
 */
const specifier =
  /(?:from\s*|import\s*\(?\s*|require(?:\.resolve)?\(\s*|moduleOf\(\s*)['"]((?:@[a-z0-9-]+\/)?[a-z][a-z0-9._-]*)(?:\/[^'"]*)?['"]/g;
const ownPackages = ['plugins/', 'bin/unicode/', 'test/runtime/client/', 'operator/', 'apps/'];

interface Use {
  readonly name: string;
  readonly path: string;
}
const texts = new Map(tracked.map((path) => [path, readFileSync(path, 'utf8')]));
const uses: Use[] = [...texts].flatMap(([path, text]) =>
  [...text.matchAll(specifier)].map((found) => ({ name: found[1]!, path })),
);
const used = new Set(uses.map(({ name }) => name));
const { dependencies, devDependencies, optionalDependencies, scripts } = packageJson;
const declared = new Set(Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }));

test('every declared dependency is used', () => {
  const manifest = readFileSync('package.json', 'utf8');
  const idle = [...declared].filter((name) => {
    if (used.has(name) || platforms.test(name)) return false;
    if (typesOnly.test(name)) return !isTyped(name.replace('@types/', ''));
    const text = usedOtherwise[name];
    if (text) return !text.test(manifest);
    return ![...texts].some(
      ([path, source]) => path !== 'test/unit/repository/dependencies.test.ts' && namesIn(source, name),
    );
  });
  expect(idle).toEqual([]);
});

test('every package in the lock file has an integrity hash or is bundled with a package that has one', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { integrity?: string; inBundle?: true; link?: true }>;
  };
  const unproven = Object.entries(packages).filter(
    ([path, { integrity, inBundle, link }]) => path !== '' && !integrity && !inBundle && !link,
  );
  expect(unproven.map(([path]) => path)).toEqual([]);
});

/**
 * Checks whether a types package is used: either the package it types is used, or it declares the globals of Node or
 * the test runner.
 */
const isTyped = (name: string): boolean => ['node', 'jest'].includes(name) || used.has(name);
const namesIn = (text: string, name: string): boolean =>
  [`'${name}'`, `"${name}"`, `'${name}/`, `node_modules/${name}/`].some((form) => text.includes(form));

test('every imported package is declared', () => {
  const builtin = new Set(builtinModules);
  const foreign = uses.filter(
    ({ name, path }) =>
      !declared.has(name) &&
      !declared.has(`@types/${name}`) &&
      !builtin.has(name) &&
      !ownPackages.some((folder) => path.startsWith(folder)) &&
      isCode(path, name),
  );
  expect(foreign.map(({ name, path }) => `${name} in ${path}`)).toEqual([]);
});

/** Excludes text in tests that is data for the code under test and names other packages. */
const isCode = (path: string, name: string): boolean =>
  !(path.startsWith('test/') && !existsSync(`node_modules/${name}`));

test('production code does not import development dependencies', () => {
  const development = new Set(Object.keys(devDependencies));
  const shipped = uses.filter(
    ({ name, path }) => /^(core|adapters|lambdas|bin\/(local|agentctl|plane))/.test(path) && development.has(name),
  );
  expect(shipped.filter(({ path, name }) => !importsTypesOnly(texts.get(path)!, name))).toEqual([]);
});

const importsTypesOnly = (text: string, name: string): boolean =>
  text
    .split('\n')
    .every((line) => !line.includes(`'${name}`) || /^\s*(import|export) type\b|^\} from|@type/.test(line));

test('all declared Node.js versions agree', () => {
  const major = Number(readFileSync('.nvmrc', 'utf8'));
  expect(packageJson.engines.node).toBe(`>=${major}`);
  expect(packageJson.devDependencies.node).toMatch(new RegExp(`^${major}\\.`));
  expect(scripts.start).toMatch(/^node /);
});

test('the version in package.json has release notes and a changelog heading', () => {
  expect(readFileSync('CHANGELOG.md', 'utf8')).toContain(`## ${packageJson.version}`);
  expect(readFileSync(`docs/releases/${packageJson.version}.md`, 'utf8')).toMatch(
    new RegExp(`^# ${packageJson.version.replaceAll('.', '\\.')}`),
  );
});
