/** The product uses no development dependency, locked packages have digests, and the repository's files agree on versions. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import packageJson from '#package' with { type: 'json' };

const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8', maxBuffer: 1 << 26 })
  .split('\n')
  .filter((path) => /\.(ts|tsx|mjs|js)$/.test(path) && existsSync(path));

/**
 * Pattern for specifiers after from, import and require and in bundler or Jest lists: `name`, `@scope/name`, optionally
 * followed by a path.
 */
const specifier =
  /(?:from\s*|import\s*\(?\s*|require(?:\.resolve)?\(\s*|moduleOf\(\s*)['"]((?:@[a-z0-9-]+\/)?[a-z][a-z0-9._-]*)(?:\/[^'"]*)?['"]/g;

interface Use {
  readonly name: string;
  readonly path: string;
}
const texts = new Map(tracked.map((path) => [path, readFileSync(path, 'utf8')]));
const uses: Use[] = [...texts].flatMap(([path, text]) =>
  [...text.matchAll(specifier)].map((found) => ({ name: found[1]!, path })),
);
const { devDependencies, scripts } = packageJson;

test('every package in the lock file has an integrity hash or is bundled with a package that has one', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { integrity?: string; inBundle?: true; link?: true }>;
  };
  const unproven = Object.entries(packages).filter(
    ([path, { integrity, inBundle, link }]) => path !== '' && !integrity && !inBundle && !link,
  );
  expect(unproven.map(([path]) => path)).toEqual([]);
});

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
