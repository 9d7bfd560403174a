/** Paths and addresses in arguments against declared roots. */

import { toolGuard } from '#core/contracts/config/tool-guard.ts';
import { upstreams as upstreamsSchema } from '#core/contracts/config/upstreams.ts';
import { argumentGuard, argumentSettings, argumentVerdict } from '#core/guard/decide-arguments.ts';
import { outsideRoots } from '#core/guard/roots.ts';
import { rootsInAnswer, rootsOf } from '#core/mcp/protocol/roots.ts';
import { addVerdict, type Verdict } from '#core/policy/rules/verdict.ts';

const roots = [
  '/srv/data',
  'file:///home/ann/my%20work',
  'C:\\Projects',
  'https://api.example.com/v1',
  's3://reports/2026',
];
const found = (parameters: Record<string, unknown>, lists: string[][] = [roots]) => outsideRoots(parameters, lists);

describe('[guard.roots] outside is', () => {
  test.each<[string, Record<string, unknown>]>([
    ['another folder', { path: '/etc/passwd' }],
    ['a folder that begins alike', { path: '/srv/database/x' }],
    ['the folder above', { path: '/srv' }],
    ['a step up that leads out', { path: '/srv/data/../secrets' }],
    ['a step up that leads back: a link may stand before it', { path: '/srv/data/a/../b' }],
    ['a step up of a relative path', { path: '../x' }],
    ['a step up inside of a relative path', { path: 'a/../../x' }],
    ['a step up at the end', { path: '/srv/data/..' }],
    ['another case', { path: '/SRV/data/x' }],
    ['a home', { path: '~/x' }],
    ['a home of another user', { path: '~root/x' }],
    ['a variable', { path: '$HOME/x' }],
    ['a variable of Windows', { path: '%USERPROFILE%\\x' }],
    ['percent signs', { path: '%2fetc%2fpasswd' }],
    ['percent signs twice', { path: '/srv/data/%252e%252e/x' }],
    ['percent signs four times', { path: '/srv/data/%252525252e/x' }],
    ['an overlong encoding', { path: '/srv/data/%c0%ae%c0%ae/x' }],
    ['wide letters', { path: '/srv/data/．．／x' }],
    ['a slash that is none', { path: '/srv/data/..\u2215x' }],
    ['a backslash', { path: '/srv/data\\..\\x' }],
    ['braces', { path: '/srv/data/{a,..}/x' }],
    ['a path parameter', { path: '/srv/data/..;/x' }],
    ['a NUL', { path: '/srv/data/a\0/../x' }],
    ['an invisible character', { path: '/srv/data/.\u200b./x' }],
    ['another drive', { path: 'D:\\x' }],
    ['a path of a drive that is relative', { path: 'C:x' }],
    ['a host', { path: '\\\\server\\share' }],
    ['two slashes', { path: '//srv/data/x' }],
    ['a file by its URI', { uri: 'file:///etc/passwd' }],
    ['a file by its URI, in capitals', { uri: 'FILE:///etc/passwd' }],
    ['a file of another host', { uri: 'file://evil.example/srv/data/x' }],
    ['an encoded step in a URI', { uri: 'file:///srv/data/%2e%2e/x' }],
    ['a scheme in front of a file', { uri: 'view-source:file:///etc/passwd' }],
    ['a scheme with one slash', { uri: 'netdoc:/etc/passwd' }],
    ['another bucket', { uri: 's3://reports-old/2026/a' }],
    ['another host of the web', { url: 'https://api.example.com.evil.example/v1/a' }],
    ['a user in front of the host', { url: 'https://api.example.com@evil.example/v1/a' }],
    ['another path of the host', { url: 'https://api.example.com/v2/a' }],
    ['an encoded step of a URL', { url: 'https://api.example.com/v1/%2e%2e/v2' }],
    ['another scheme of the host', { url: 'http://api.example.com/v1/a' }],
    ['another port of the host', { url: 'https://api.example.com:8443/v1/a' }],
    ['a path under any name', { value: '/etc/passwd' }],
    ['a step up under any name', { value: 'a/../../etc/passwd' }],
    ['a path in a list', { paths: ['/srv/data/a', '/etc/passwd'] }],
    ['a path in a list as a text', { paths: '/srv/data/a,/etc/passwd' }],
    ['a path in a search path', { path: '/srv/data/a:/etc' }],
    ['a path in JSON', { paths: '["/srv/data/a","/etc/passwd"]' }],
    ['a path as a name', { files: { '/etc/cron.d/x': 'text' } }],
    ['a path in a command', { command: 'cat /etc/passwd' }],
    ['a path behind an option', { args: ['-o/etc/x'] }],
    ['a path behind an equals sign', { args: ['--output=/etc/x'] }],
    ['a path behind an at sign', { command: 'post -d @/etc/passwd' }],
    ['a path in a substitution', { command: 'echo $(</etc/passwd)' }],
    ['a remote path', { source: 'root@host:/etc/passwd' }],
    ['a path that is too long', { path: `/srv/data/${'a/'.repeat(3_000)}` }],
  ])('%s', (_what, parameters) => {
    expect(found(parameters)).toMatchObject([{ kind: 'outside_roots', severity: 'high' }]);
  });

  test.each<[string, Record<string, unknown>]>([
    ['a root', { path: '/srv/data' }],
    ['a root with a slash', { path: '/srv/data/' }],
    ['a file below', { path: '/srv/data/a/b.txt' }],
    ['single dots and double slashes', { path: '/srv/data/./a//b' }],
    ['names with dots', { path: '/srv/data/..a/b../c...d' }],
    ['a percent sign that encodes nothing', { path: '/srv/data/100%.txt' }],
    ['letters of another script', { path: '/srv/data/отчёт/報告.txt' }],
    ['an encoded letter', { path: '/srv/data/caf%c3%a9.txt' }],
    ['a glob', { path: '/srv/data/**/*.{ts,tsx}' }],
    ['a file below, by its URI', { uri: 'file:///srv/data/a' }],
    ['a root with a space, by its URI', { uri: 'file:///home/ann/my%20work/a' }],
    ['a root with a space, by its path', { path: '/home/ann/my work/a' }],
    ['a drive in another case', { path: 'c:/Projects/x' }],
    ['a relative path', { path: 'src/[id]/a.ts' }],
    ['a relative path with a dot', { path: './src/a.ts' }],
    ['a list of relative paths', { paths: 'src/a.ts,src/b.ts' }],
    ['a branch', { ref: 'origin/main', range: 'main..dev' }],
    ['a bucket below', { uri: 's3://reports/2026/03' }],
    ['an address below', { url: 'HTTPS://API.example.com:443/v1/a?path=/etc#/x' }],
    ['a path in a text', { content: '/etc/passwd is a file', text: 'see ../x' }],
    ['words and numbers', { query: 'a / b', status: 'n/a', date: '2026/11/25', count: 3, ratio: '3/4' }],
    ['a price', { symbol: '$ABC', discount: '%50' }],
    ['a relative command', { command: 'npm test -- src/a.test.ts --path=./out' }],
  ])('%s is inside', (_what, parameters) => {
    expect(found(parameters)).toEqual([]);
  });

  test('nothing on the web, where no root is one', () => {
    expect(found({ url: 'https://example.com/../a$b' }, [['/srv/data']])).toEqual([]);
    expect(found({ url: 'https:/\\example.com' }, [['/srv/data']])).toHaveLength(1);
  });

  test('what one of two lists leaves out', () => {
    expect(found({ path: '/srv/data/a' }, [['/srv/data'], ['/srv/data/b']])).toHaveLength(1);
    expect(found({ path: '/srv/data/b/c' }, [['/srv/data'], ['/srv/data/b']])).toEqual([]);
  });

  test('everything, where no root can be read', () => {
    expect(found({ path: '/srv/data/a' }, [['']])).toHaveLength(1);
  });
});

describe('[guard.roots] the decision', () => {
  const call = { protocol: 'mcp', tool: 'get', target: '', capability: 'read', upstream: 'files' };
  const allow: Verdict = { decision: 'allow', matched_rule: 'mcp:get' };
  const decided = async (action: string, path: string, more: object = {}) => {
    const upstreams = upstreamsSchema.parse({
      mcp: [{ name: 'files', url: 'https://files.example', roots: ['/srv/data'], ...more }],
    });
    const tool_guard = toolGuard.parse({ arguments: { outside_roots: action } });
    const guard = await argumentGuard(argumentSettings({ tool_guard, upstreams }, call));
    return addVerdict(allow, argumentVerdict({ ...call, parameters: { path } }, guard) ?? {});
  };

  test.each([
    ['review', 'review'],
    ['block', 'block'],
    ['log', 'allow'],
  ])('%s', async (action, decision) => {
    expect(await decided(action, '/etc/x')).toMatchObject({ decision, guard: [{ kind: 'outside_roots', action }] });
    expect(await decided(action, '/srv/data/x')).toEqual(allow);
  });

  test('is none where the guard of the server is off, and recorded under log', async () => {
    expect(await decided('block', '/etc/x', { guard: 'off' })).toEqual(allow);
    expect(await decided('block', '/etc/x', { guard: 'log' })).toMatchObject({ decision: 'allow' });
  });

  test('holds for protocols that have a grammar of their own', async () => {
    const guard = await argumentGuard({ actions: toolGuard.parse({}).arguments, roots: [['/srv/data']] });
    expect(argumentVerdict({ ...call, protocol: 'git', parameters: { path: '/etc' } }, guard)).toMatchObject({
      matched_rule: 'tool_guard:outside_roots',
    });
  });

  test.each(['relative', '/a/../b', 'https://a@b.example/', 'file://host/x', '//host/x', 'https://a.example/?b'])(
    'a configuration with the root %s is refused',
    (root) => {
      const mcp = [{ name: 'files', url: 'https://files.example', roots: [root] }];
      expect(upstreamsSchema.safeParse({ mcp }).success).toBe(false);
    },
  );
});

describe('[guard.roots] roots of a client', () => {
  test('come with a call as absolute paths and URIs', () => {
    expect(rootsOf(['/a', 'file:///b'])).toEqual(['/a', 'file:///b']);
    for (const value of [[], 'x', ['a'], [1], Array(65).fill('/a')]) expect(() => rootsOf(value)).toThrow('1 to 64');
  });

  test('come in an answer to roots/list; what cannot be read makes nothing inside', () => {
    expect(rootsInAnswer({ result: { roots: [{ uri: 'file:///a' }, { name: 'x' }] } })).toEqual(['file:///a', '']);
    expect(rootsInAnswer({ result: { action: 'accept' } })).toBeUndefined();
    expect(rootsInAnswer({ error: { code: -1, message: 'no' } })).toBeUndefined();
  });
});
