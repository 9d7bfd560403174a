/** Roots declared by callers of test-action, with links of a real file system on the way. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { followsLinks } from '#adapters/system/follow-links.ts';
import { caller } from '../support/call-endpoint.ts';
import { keys } from '../support/ports.ts';
import { useGateway } from '../support/use-gateway.ts';

let call: ReturnType<typeof caller>;
let folder: string;

const gateway = useGateway(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'roots-')));
  for (const path of ['data/sub', 'other']) mkdirSync(join(folder, path), { recursive: true });
  writeFileSync(join(folder, 'other/note'), 'x');
  const link = (path: string, to: string) => symlinkSync(to, join(folder, path));
  link('data/out', '../other');
  link('data/absolute', join(folder, 'other'));
  link('data/in', 'sub');
  link('data/nowhere', join(folder, 'other/new/file'));
  link('data/circle', 'circle');
  link('data/twice', 'out');
  const execute = async () => ({ done: true });
  const toolPolicies = '{ pack: null, default_decision: allow }';
  return { toolPolicies, executors: [{ name: 'fake', handles: () => true, execute }] };
});
beforeAll(() => {
  call = caller({ ...gateway.ports, links: followsLinks(join(folder, 'data')) });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
});

const act = async (parameters: object, more: object = {}) => {
  const body = { protocol: 'mcp', tool: 'get_file', target: '', capability: 'read', parameters, ...more };
  const answer = await call('POST', '/admin/v1/test-action', { key: keys.agent, body });
  return answer.body.matched_rule ?? answer;
};
const outside = 'tool_guard:outside_roots';

test.each(['out/note', 'absolute/note', 'nowhere', 'nowhere/deeper', 'circle', 'twice/note'])(
  '[guard.roots] data/%s leads out of the root, absolute and relative',
  async (path) => {
    const roots = [join(folder, 'data')];
    expect(await act({ path: join(folder, 'data', path) }, { roots })).toBe(outside);
    expect(await act({ path }, { roots })).toBe(outside);
  },
);

test.each(['a', 'sub/a', 'in/a', 'new/folder/a'])('[guard.roots] data/%s stays below it', async (path) => {
  const roots = [join(folder, 'data')];
  expect(await act({ path: join(folder, 'data', path) }, { roots })).toBe('default');
  expect(await act({ path }, { roots })).toBe('default');
});

test.each([
  ['mcp', 'get_file', { path: '/etc/hosts' }],
  ['of-its-own', 'get_file', { path: '/etc/hosts' }],
  ['shell', 'shell.run', { command: 'cat /etc/hosts' }],
])('[guard.roots] a call of %s outside of the roots that it declares waits', async (protocol, tool, parameters) => {
  expect(await act(parameters, { protocol, tool, roots: ['/srv/data'], dry_run: true })).toBe(outside);
  expect(await act(parameters, { protocol, tool, dry_run: true })).not.toBe(outside);
});

test.each([[['src']], [[]], ['/srv'], [['/srv/../etc']]])(
  '[guard.roots] %j is refused with what is allowed',
  async (roots) => {
    expect(await act({ path: 'a' }, { roots })).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('roots') } },
    });
  },
);
