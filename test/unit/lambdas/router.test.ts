/** Paths of the local listener: as in the routes table, plus the MCP endpoint with a trailing slash. */

import * as z from 'zod';
import type { HttpEvent } from '#core/contracts/http.ts';
import { proxyPathOf } from '#core/contracts/routes.ts';
import { routes } from '#features/routes.ts';
import { createLocator, createRouter, hintOf } from '#lambdas/middleware/router.ts';
import { readCases } from '../../support/yaml.ts';

const cases = readCases(
  'test/unit/lambdas/router.yaml',
  z.strictObject({ hinted: z.array(z.tuple([z.string(), z.string()])) }),
);

const router = createRouter(routes);

test('[mcp.json-rpc] /mcp/ is the MCP endpoint, and no other path has an alternative spelling', () => {
  expect(router('POST', '/mcp/')).toEqual(router('POST', '/mcp'));
  for (const path of ['/mcp//', '//mcp', '/v1/models/', '/admin/v1/approvals/'])
    expect(() => router('POST', path)).toThrow(/No route matches/);
});

describe('[admin.routes] a proxy', () => {
  it('serves routes of only one function', () => {
    const functions = Map.groupBy(routes.filter(proxyPathOf), (route) => proxyPathOf(route));
    for (const [proxy, behind] of functions)
      expect([proxy, new Set(behind.map(({ handledBy }) => handledBy)).size]).toEqual([proxy, 1]);
    expect([...functions.keys()]).toEqual(
      expect.arrayContaining(['/admin/v1/{proxy+}', '/admin/v1/approvals/{proxy+}']),
    );
  });

  it('covers no path of another function unless that path has its own resource', () => {
    for (const route of routes.filter(({ surface }) => surface === 'admin')) {
      const own = proxyPathOf(route);
      const family = `/admin/v1/${route.path.split('/')[3]}/{proxy+}`;
      const covered = routes.some((other) => proxyPathOf(other) === family);
      if (covered && route.path.split('/').length > 4) expect([route.path, own]).toEqual([route.path, family]);
    }
  });
});

describe('[admin.routes] an event below {proxy+}', () => {
  const own = routes.filter(({ handledBy }) => handledBy === 'observatory');
  const located = createLocator(own);
  const below = (path: string) =>
    ({ resource: '/admin/v1/{proxy+}', path, pathParameters: { proxy: path.slice(10) } }) as unknown as HttpEvent;

  it.each(own.filter(proxyPathOf).map(({ path }) => path))('is mapped to route %s', (path) => {
    const event = located(below(path.replace(/\{(\w+)\}/g, 'id-of-$1')));
    expect(event.resource).toBe(path);
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, `id-of-${name}`]);
    expect(event.pathParameters).toEqual(Object.fromEntries(names));
  });

  it.each(['/admin/v1/approvals', '/admin/v1/usage/', '/admin/v1//usage', '/admin/v1/%75sage', '/admin/v1/nothing'])(
    'has no route at %s, which is not a path of this function',
    (path) => {
      expect(located(below(path))).toEqual(below(path));
    },
  );

  it('stays unchanged if API Gateway matched the resource', () => {
    const event = { ...below('/admin/v1/usage'), resource: '/metrics' };
    expect(located(event)).toBe(event);
  });
});

test.each(cases.hinted)(
  '[error.not-found] the error for a client that requests %s names the setting to change',
  (path, says) => {
    expect(hintOf(path)).toMatch(/^ \S/);
    expect(hintOf(path)).toContain(says);
  },
);

test.each([
  ...['/v1/else', '/', '/admin/v1/files', '/v1/filesystem', '/v1/batchesx', '/v1/chatter'],
  ...['/openaix/v1', '/v1/messaged'],
])('[error.not-found] no hint is given for %s', (path) => {
  expect(hintOf(path)).toBe('');
});
