/** Paths and addresses in arguments, checked against declared roots. */

import * as z from 'zod';
import { toolGuard } from '#core/contracts/config/tool-guard.ts';
import { upstreams as upstreamsSchema } from '#core/contracts/config/upstreams.ts';
import { argumentGuard, argumentSettings, argumentVerdict } from '#core/guard/decide-arguments.ts';
import { outsideRoots } from '#core/guard/roots.ts';
import { rootsInAnswer, rootsOf } from '#core/mcp/protocol/roots.ts';
import { addVerdict, type Verdict } from '#core/policy/rules/verdict.ts';
import { object, readCases, rows, text } from '../../support/yaml.ts';

const cases = readCases(
  'test/unit/guard/roots.yaml',
  z.strictObject({ outside: rows(text, object), inside: rows(text, object) }),
);

const roots = [
  '/srv/data',
  'file:///home/ann/my%20work',
  'C:\\Projects',
  'https://api.example.com/v1',
  's3://reports/2026',
];
const found = (parameters: Record<string, unknown>, lists: string[][] = [roots]) => outsideRoots(parameters, lists);

describe('[guard.roots] outside is', () => {
  test.each([...cases.outside, ['a path that is too long', { path: `/srv/data/${'a/'.repeat(3_000)}` }]] as const)(
    '%s',
    (_what, parameters) => {
      expect(found(parameters)).toMatchObject([{ kind: 'outside_roots', severity: 'high' }]);
    },
  );

  test.each(cases.inside)('%s is inside', (_what, parameters) => {
    expect(found(parameters)).toEqual([]);
  });

  test('web addresses are ignored if no root is a web address', () => {
    expect(found({ url: 'https://example.com/../a$b' }, [['/srv/data']])).toEqual([]);
    expect(found({ url: 'https:/\\example.com' }, [['/srv/data']])).toHaveLength(1);
  });

  test('a path is outside if one of two root lists does not include it', () => {
    expect(found({ path: '/srv/data/a' }, [['/srv/data'], ['/srv/data/b']])).toHaveLength(1);
    expect(found({ path: '/srv/data/b/c' }, [['/srv/data'], ['/srv/data/b']])).toEqual([]);
  });

  test('every path is outside if no root can be read', () => {
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

  test('is skipped if the server’s guard is off, and only recorded under log', async () => {
    expect(await decided('block', '/etc/x', { guard: 'off' })).toEqual(allow);
    expect(await decided('block', '/etc/x', { guard: 'log' })).toMatchObject({ decision: 'allow' });
  });

  test('also applies to protocols that have their own grammar', async () => {
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

describe('[guard.roots] client roots', () => {
  test('are accepted from a call as absolute paths and URIs', () => {
    expect(rootsOf(['/a', 'file:///b'])).toEqual(['/a', 'file:///b']);
    for (const value of [[], 'x', ['a'], [1], Array(65).fill('/a')]) expect(() => rootsOf(value)).toThrow('1 to 64');
  });

  test('are read from a response to roots/list, and an unreadable response allows no paths', () => {
    expect(rootsInAnswer({ result: { roots: [{ uri: 'file:///a' }, { name: 'x' }] } })).toEqual(['file:///a', '']);
    expect(rootsInAnswer({ result: { action: 'accept' } })).toBeUndefined();
    expect(rootsInAnswer({ error: { code: -1, message: 'no' } })).toBeUndefined();
  });
});
