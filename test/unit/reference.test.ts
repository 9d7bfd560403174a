/** docs/reference is up to date with the code. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '#package' with { type: 'json' };
import { routes } from '../../features/routes.ts';

const { version } = packageJson;
const root = join(__dirname, '../..');
const page = (name: string) => readFileSync(join(root, 'docs/reference', name), 'utf8');

test('[config.schema-published] every file in docs/reference is up to date with the code', () => {
  const { stderr, status } = spawnSync(
    join(root, 'node_modules/.bin/node'),
    [join(root, 'bin/reference.ts'), '--check'],
    {
      encoding: 'utf8',
    },
  );
  expect([stderr, status]).toEqual(['', 0]);
});

test.each([
  ['openapi.json', ['admin', 'callbacks']],
  ['openapi-gateway.json', ['gateway']],
])(
  '[admin.answers-typed] [cli.version] %s lists every route of its surfaces once, with the package version',
  (name, surfaces) => {
    const openapi = JSON.parse(page(name)) as {
      info: { version: string };
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    expect(openapi.info.version).toBe(version);
    const operations = Object.entries(openapi.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const own = routes.filter(({ surface }) => surfaces.includes(surface));
    expect(operations.sort()).toEqual(own.map(({ method, path }) => `${method} ${path}`).sort());
    const ids = Object.values(openapi.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  },
);

test('[cli.vote] the CLI page lists all required commands', () => {
  const commands = ['test-action', 'pending', 'approve', 'deny', 'verify', 'status', 'simulate', 'why', 'diff-policy'];
  const grouped = [
    'evidence export',
    'evidence verify',
    'evidence report',
    'policy history',
    'policy current',
    'policy rollback',
  ];
  for (const command of [...commands, ...grouped]) expect(page('cli.md')).toContain(`# agentctl ${command}\n`);
});

test('[cli.vote] examples of a command start with the command’s full name', () => {
  const sections = page('cli.md')
    .split(/^#+ agentctl /m)
    .slice(1);
  const wrong = sections.flatMap((section) => {
    const name = section.slice(0, section.indexOf('\n'));
    const examples = [...section.matchAll(/\$ (agentctl .*)/g)].map(([, example = '']) => example);
    return examples.filter((example) => !example.startsWith(`agentctl ${name}`)).map((example) => [name, example]);
  });
  // A group whose first command needs no argument.
  expect(wrong).toEqual([['traces list', 'agentctl traces']]);
});
