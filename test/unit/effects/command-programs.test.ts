/**
 * Programs that platform engineers use: the effect, object, location and secrets of a command line. The table is
 * `test/corpora/command-programs.tsv`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { takesOrders } from '#core/effects/shell/orders.ts';
import { commandPrograms } from '#core/effects/shell/profiles/all.ts';
import { run } from './shell-lines.ts';

const rows = readFileSync(join(process.cwd(), 'test/corpora/command-programs.tsv'), 'utf8')
  .split('\n')
  .filter((row) => row !== '' && !row.startsWith('#'))
  .map((row) => {
    const [line = '', does = '', mark = 'clear'] = row.split('\t');
    return [line, does, mark] as const;
  });

const places = ['namespace', 'context', 'repository', 'project', 'profile', 'region', 'group', 'subscription'];

function doneBy(line: string): string {
  const part = run(line).parts.find(({ parameters }) => parameters.operation !== undefined);
  if (!part) return 'not a known command';
  const { objects = [], ...given } = part.parameters;
  const named = (objects as readonly string[]).join(',');
  const where = places.flatMap((name) => (given[name] === undefined ? [] : [`${name}=${String(given[name])}`]));
  return [part.capability, named, ...(where.length > 0 ? ['in', ...where] : [])]
    .filter((word) => word !== '')
    .join(' ');
}

function markOf(line: string): string {
  const { unclear, shows } = run(line);
  return shows ?? (unclear === undefined ? 'clear' : 'held');
}

test.each(rows)('[effects.profiles] %s', (line, does, mark) => {
  expect([doneBy(line), markOf(line)]).toEqual([does, mark]);
});

test('[effects.profiles] an unknown command counts as execution and is held', () => {
  const unknown = rows.filter(([, does]) => does === 'not a known command');
  expect(unknown.length).toBeGreaterThan(5);
  for (const [line] of unknown) expect(run(line).parts.every(({ capability }) => capability === 'execute')).toBe(true);
});

test('[effects.profiles] an unknown option before the subcommand makes the command unclear', () => {
  const { parts, unclear } = run('kubectl --frob get pods');
  expect([parts.map(({ capability }) => capability), typeof unclear]).toEqual([['execute', 'read'], 'string']);
});

test('[effects.profiles] every command program is listed as one that takes subcommands', () => {
  expect([...commandPrograms.keys()].filter((program) => !takesOrders(program))).toEqual([]);
});

test('[effects.profiles] rules match a command’s words in one canonical order', () => {
  const targets = (line: string) => run(line).parts.map(({ target }) => target);
  for (const line of ['kubectl -n a delete pod x', 'kubectl delete -n a pod x', 'kubectl delete pod x -n a'])
    expect(targets(line)).toEqual(['delete pod x -n a']);
  expect(targets('kubectl -n a exec web -- ls -n b')).toEqual(['exec web -n a -- ls -n b']);
});
