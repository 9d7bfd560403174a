/** Symbolic links in paths below declared roots. */
import { argumentGuard, argumentSettings, argumentVerdict, withLinks } from '#core/guard/decide-arguments.ts';
import { outsideByLinks } from '#core/guard/links.ts';
import { addVerdict, type Verdict } from '#core/policy/rules/verdict.ts';
import { entry } from '../mcp/entry.ts';

/** A file system with these links; `/circle` cannot be resolved. */
const links: Readonly<Record<string, string>> = {
  '/srv/data/out': '/etc',
  '/srv/data/in': '/srv/data/sub',
  '/srv/alias': '/srv/data',
  '/srv/data/C': '/srv/data/c',
};
const follow = async (path: string): Promise<string | undefined> => {
  if (path.includes('/circle')) return undefined;
  const absolute = path.startsWith('/') ? path : `/work/${path}`;
  const from = Object.keys(links).find((link) => absolute === link || absolute.startsWith(`${link}/`));
  return from ? links[from] + absolute.slice(from.length) : absolute;
};
const found = async (parameters: Record<string, unknown>, ...lists: string[][]) =>
  (await outsideByLinks(parameters, lists.length > 0 ? lists : [['/srv/data']], { follow })).map(({ where }) => where);

test.each<[Record<string, unknown>, string[]]>([
  [{ path: '/srv/data/out/passwd' }, ['parameters.path']],
  [{ path: '/srv/data/out' }, ['parameters.path']],
  [{ path: 'out/passwd' }, ['parameters.path']],
  [{ path: 'file:///srv/data/out/passwd' }, ['parameters.path']],
  [{ path: '/srv/data/%6fut/passwd' }, ['parameters.path']],
  [{ paths: ['/srv/data/a', '/srv/data/out/x'] }, ['parameters.paths[1]']],
  [{ command: 'cat /srv/data/out/passwd' }, ['parameters.command']],
  [{ path: '/srv/data/circle/x' }, ['parameters.path']],
  [{ files: { '/srv/data/out/x': 'text' } }, ['parameters.files.*']],
])('[guard.roots] %j leads out', async (parameters, where) => {
  expect(await found(parameters)).toEqual(where);
});

test.each([
  { path: '/srv/data/a' },
  { path: '/srv/data/in/a' },
  { path: '/srv/data/new/folder/a' },
  { path: '/srv/data/outside.txt' },
  { content: '/srv/data/out/passwd' },
  { url: 'https://example.com/out' },
])('[guard.roots] %j stays inside', async (parameters) => {
  expect(await found(parameters, ['/srv/data', '/work'])).toEqual([]);
});

test('[guard.roots] a root that is a link covers its target, and each list applies independently', async () => {
  expect(await found({ path: '/srv/alias/a' }, ['/srv/alias'])).toEqual([]);
  expect(await found({ path: '/srv/data/in/a' }, ['/srv/data'], ['/srv/data/in'])).toEqual([]);
  expect(await found({ path: '/srv/data/a' }, ['/srv/data'], ['/srv/data/in'])).toEqual(['parameters.path']);
  expect(await found({ path: '/srv/data/out' }, ['s3://bucket'])).toEqual([]);
});

test('[guard.roots] if there are too many paths, the remaining ones count as outside', async () => {
  const paths = Array.from({ length: 200 }, (_, i) => `/srv/data/a${i}`);
  expect((await found({ paths })).length).toBe(1);
});

describe('[guard.roots] a call', () => {
  const decided: Verdict = { decision: 'allow', matched_rule: 'r' };
  const actions = { outside_roots: 'review' } as never;
  const decisionOf = async (upstream: object, path: string, declared?: string[][]) => {
    const configuration = {
      upstreams: { mcp: [entry({ name: 'files', roots: ['/srv/data'], ...upstream })] },
      tool_guard: { arguments: actions },
    } as never;
    const call = {
      protocol: 'mcp',
      tool: 'get_file',
      target: '',
      capability: 'read',
      upstream: 'files',
      parameters: { path },
    };
    const settings = await withLinks(argumentSettings(configuration, call, declared), configuration, call, { follow });
    return addVerdict(decided, argumentVerdict(call, await argumentGuard(settings)) ?? {}).matched_rule;
  };
  const here = { transport: 'stdio', url: undefined, command: ['server'] };

  test('to a local server has its symbolic links resolved; for other servers paths are compared as text', async () => {
    expect(await decisionOf(here, '/srv/data/out/x')).toBe('tool_guard:outside_roots');
    expect(await decisionOf(here, '/srv/data/in/x')).toBe('r');
    expect(await decisionOf({}, '/srv/data/out/x')).toBe('r');
    expect(await decisionOf({ ...here, guard: 'off' }, '/srv/data/out/x')).toBe('r');
  });
});
