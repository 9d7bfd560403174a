/**
 * Without the feature lines and folders, the product, its tests and its benches still have correct types, and the
 * product has stacks and a gateway that starts. Each half lacks the other's features, since `npm run boundaries` forbids
 * imports between features.
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as sections from '#features/sections.ts';
import { configurationMembers } from '../../support/configuration-members.ts';
import { thorough } from '../../support/extent.ts';

const root = join(__dirname, '../../..');
/** Lists of the features' parts. */
const lists = readdirSync(join(root, 'features')).flatMap((name) => (name.endsWith('.ts') ? [`features/${name}`] : []));
const linesOf = (list: string) => readFileSync(join(root, list), 'utf8');
const features = [...linesOf('features/index.ts').matchAll(/^export .* from '\.\/([\w-]+)\/feature\.ts';$/gm)];
const names = features.map(([, name]) => name!);

/** Places of the sections that a feature adds to the configuration. */
const sectionsOf = (name: string): string[] =>
  Object.keys(
    (sections as Record<string, object>)[name.replaceAll(/-(\w)/g, (_, letter) => letter.toUpperCase())] ?? {},
  );
const places = names.flatMap(sectionsOf);

const halves = [0, 1].map((half) => names.filter((_, at) => at % 2 === half));

const tests = ['test/infra/routes.test', 'test/e2e/story.test', 'test/unit/requirements', 'test/unit/operations'];

/**
 * Build information from `npm run typecheck` for files that are the same here. Its paths are relative to its folder, so
 * the copy uses a folder at the same depth.
 */
const build = join('types', '.cache', 'tsc.tsbuildinfo');
const ofCheckout = join(root, 'node_modules/.cache/tsc.tsbuildinfo');

test('[features.removable] every feature folder is in the list', () => {
  const folders = readdirSync(join(root, 'features'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual([...names].sort());
});

test("[features.removable] a function that reads any channel's secrets has the clients for notifications", () => {
  const program = `import { entryOf } from './packaging/function-entries.mjs';
    const given = ['webhooks', 'github', 'brokers'].map((name) => entryOf('notify', { secrets: [name] }).includes('notificationClients'));
    console.log(JSON.stringify(given));`;
  const { stdout, stderr } = spawnSync(
    join(root, 'node_modules/.bin/node'),
    ['--input-type=module', '--eval', program],
    { cwd: root, encoding: 'utf8' },
  );
  expect([stdout.trim(), stderr]).toEqual(['[true,true,false]', '']);
});

test('[features.removable] every section that a feature adds is a key of the configuration', () => {
  expect(places.length).toBeGreaterThan(0);
  expect(configurationMembers()).toEqual(expect.arrayContaining([...places]));
});

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
    if (existsSync(ofCheckout)) cpSync(ofCheckout, join(copy, build));
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

  describe.each(halves.map((left) => ({ left })))('$left', ({ left }) => {
    beforeAll(() => leaveOut(left));

    test('[features.removable] the code, its tests and its benches pass type checking', () => {
      // Unchanged files are not checked again. The console imports only core, which imports no feature.
      run('tsc', '--tsBuildInfoFile', build);
    });

    test('[features.removable] exactly the sections of the removed features are refused as unknown', () => {
      const program = `import { configurationSchema } from './features/configuration.ts';
        const refused = ${JSON.stringify(places)}.filter((place) => {
          const section = place.split('.').reduceRight((value, name) => ({ [name]: value }), 0);
          const given = { version: 1, tenants: [{ id: 't', api_keys: ['k'] }], ...section };
          return configurationSchema.safeParse(given).error.issues.some(({ code }) => code === 'unrecognized_keys');
        });
        console.log(JSON.stringify(refused));`;
      const { stdout, stderr } = spawnSync(
        join(root, 'node_modules/.bin/node'),
        ['--input-type=module', '--eval', program],
        { cwd: copy, encoding: 'utf8' },
      );
      const ofLeft = left.flatMap((name) => sectionsOf(name));
      expect([stdout.trim(), stderr]).toEqual([JSON.stringify(places.filter((place) => ofLeft.includes(place))), '']);
    });

    test('[features.removable] the stacks can be synthesized, a gateway starts, and the tests pass', () => {
      run('node', 'bin/reference.ts');
      run('jest', '-w', '1', ...tests);
    });
  });
});
