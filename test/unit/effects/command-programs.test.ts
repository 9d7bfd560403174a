/** Programs that platform engineers live in: what a line does, to what, where, and whether it prints secrets. */
import { aws, az, docker, gcloud, gh, helm, kubectl, type Row, terraform, unknown } from './command-programs.ts';
import { run } from './shell-lines.ts';

const scopeNames = [
  'namespace',
  'context',
  'repository',
  'project',
  'account',
  'profile',
  'region',
  'group',
  'subscription',
];

function doneBy(line: string): string {
  const part = run(line).parts.find(({ parameters }) => parameters.operation !== undefined);
  if (!part) return 'not a known command';
  const { objects = [], ...given } = part.parameters;
  const scopes = scopeNames.flatMap((name) => (given[name] === undefined ? [] : [`${name}=${String(given[name])}`]));
  return [
    part.capability,
    ...((objects as string[]).length > 0 ? [(objects as string[]).join(',')] : []),
    ...(scopes.length > 0 ? ['in', ...scopes] : []),
  ].join(' ');
}

const held = (line: string): Row['held'] => {
  const { unclear, shows } = run(line);
  return shows === 'secrets' ? shows : unclear === undefined ? undefined : true;
};

const tables: Readonly<Record<string, readonly Row[]>> = { kubectl, docker, helm, gh, terraform, aws, gcloud, az };

describe.each(Object.entries(tables))('[effects.command-programs] %s', (_, rows) => {
  test.each(rows.map(({ line, ...row }) => [line, row] as const))('%s', (line, { does, held: expected }) => {
    expect([doneBy(line), held(line)]).toEqual([does, expected]);
  });
});

test.each(unknown)('[effects.command-programs] %s is not a command that is known', (line) => {
  const { parts, unclear } = run(line);
  expect([parts.some(({ capability }) => capability === 'execute') || parts.length === 0, unclear]).toEqual([
    true,
    expect.any(String),
  ]);
});

test('[effects.command-programs] rules find the words of a command in one order', () => {
  const targets = (line: string) => run(line).parts.map(({ target }) => target);
  for (const line of ['kubectl -n a delete pod x', 'kubectl delete -n a pod x', 'kubectl delete pod x -n a'])
    expect(targets(line)).toEqual(['delete pod x -n a']);
  expect(targets('kubectl -n a exec web -- ls -n b')).toEqual(['exec web -n a -- ls -n b']);
});
