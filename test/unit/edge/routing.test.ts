/** Paths of the edge: which upstream, and how it is called there. */
import { edgeTarget } from '#core/edge/routing.ts';

test.each([
  ['/api/v1/chat/completions', 'gateway', '/v1/chat/completions'],
  ['/api/health', 'gateway', '/health'],
  ['/api/', 'gateway', '/'],
  ['/api/v1/models?limit=1', 'gateway', '/v1/models?limit=1'],
  ['/admin/v1/whoami', 'admin', '/admin/v1/whoami'],
  ['/mcp', 'mcp', '/mcp'],
  ['/mcp/session/1?x=/api/', 'mcp', '/mcp/session/1?x=/api/'],
  // Nothing is normalised: the upstream sees the very path, and has nothing there.
  ['/api/../admin/v1/config', 'gateway', '/../admin/v1/config'],
  ['/api//v1/models', 'gateway', '//v1/models'],
  ['/admin/..%2fapi', 'admin', '/admin/..%2fapi'],
] as const)('[edge.routing] %s belongs to %s as %s', (url, upstream, path) => {
  expect(edgeTarget(url)).toEqual({ upstream, url: path });
});

test.each([
  '/',
  '',
  '/api',
  '/api?x=1',
  '/apiary/v1',
  '/API/v1',
  '/%61pi/v1',
  '//api/v1',
  '/health',
  '/v1/models',
  '*',
  'http://x/api/',
])('[edge.routing] there is nothing at %s', (url) => {
  expect(edgeTarget(url)).toBeUndefined();
});
