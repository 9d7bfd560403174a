/** Paths of the edge, and where they belong: what the local edge and the function of CloudFront are both held to [edge.routing]. */

import { routes } from '#core/contracts/routes.ts';

/** As the client sends it, the upstream, and path and query as the upstream is asked. */
export const routedPaths = [
  ['/api/v1/chat/completions', 'gateway', '/v1/chat/completions'],
  ['/api/health', 'gateway', '/health'],
  ['/api/', 'gateway', '/'],
  ['/api/v1/models?limit=1', 'gateway', '/v1/models?limit=1'],
  ['/admin/v1/whoami', 'admin', '/admin/v1/whoami'],
  ['/admin', 'admin', '/admin'],
  ['/mcp', 'mcp', '/mcp'],
  ['/mcp?x=/../', 'mcp', '/mcp?x=/../'],
  ['/mcp/session/1?x=/api/', 'mcp', '/mcp/session/1?x=/api/'],
  ['/.well-known/oauth-protected-resource', 'mcp', '/.well-known/oauth-protected-resource'],
  ['/.well-known/oauth-protected-resource/mcp', 'mcp', '/.well-known/oauth-protected-resource/mcp'],
  ['/.well-known/oauth-protected-resource?x=1', 'mcp', '/.well-known/oauth-protected-resource?x=1'],
  // Paths are not normalised: the upstream receives the exact path and has no route there.
  ['/api//v1/models', 'gateway', '//v1/models'],
  ['/admin/..%2fapi', 'admin', '/admin/..%2fapi'],
  ['/api/v1/models/..x', 'gateway', '/v1/models/..x'],
  ['/api/v1/models/x..', 'gateway', '/v1/models/x..'],
  ['/api/v1/models/...', 'gateway', '/v1/models/...'],
] as const;

/** Where there is nothing. */
export const strayPaths = [
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
  '/console/',
  '*',
  'http://x/api/',
  // The gateway is not an authorization server, and has metadata of one resource alone.
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-protected-resource/admin',
  '/.well-known/oauth-protected-resource/mcp/',
  '/.well-known/oauth-protected-resources',
  '/api/../.well-known/oauth-protected-resource',
  '/.well-known/../.well-known/oauth-protected-resource',
  // Paths that mean something else when resolved.
  '/api/../admin/v1/config',
  '/api/..',
  '/admin/./v1/config',
  '/mcp/%2e%2E/admin/v1/config',
  '/mcp/.%2e?x=1',
  '/../admin/v1/config',
] as const;

/** Routes of the admin and MCP surfaces outside `/admin` and `/mcp`: the edge does not serve them. */
export const besideTheEdge: readonly string[] = ['/health', '/metrics', '/sse'];

/** Every other route: as a client asks for it, the upstream, and the path there. Callbacks have listeners of their own. */
export const everyRoutedPath = routes.flatMap(({ surface, path }) => {
  if (surface === 'callbacks' || (surface !== 'gateway' && besideTheEdge.includes(path))) return [];
  const asked = path.replaceAll(/\{[^}]+\}/g, 'a-1.b');
  return [[surface === 'gateway' ? `/api${asked}` : asked, surface, asked] as const];
});
