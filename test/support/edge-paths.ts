/**
 * Paths of the edge and their destinations, shared by the tests of the local edge and of the CloudFront function
 * [edge.listeners].
 */

import * as z from 'zod';
import { routes } from '#features/routes.ts';
import { readCases } from './yaml.ts';

const path = z.string();
/** Routed: as the client sends it, the upstream, and path and query as the upstream is asked. Stray: paths that lead nowhere. */
export const { routed: routedPaths, stray: strayPaths } = readCases(
  'test/unit/edge/paths.yaml',
  z.strictObject({ routed: z.array(z.tuple([path, z.enum(['gateway', 'admin', 'mcp']), path])), stray: z.array(path) }),
);

/** Routes of the admin and MCP surfaces outside `/admin` and `/mcp`: the edge does not serve them. */
export const besideTheEdge: readonly string[] = ['/health', '/metrics', '/sse'];

/** Every other route: as a client asks for it, the upstream, and the path there. Callbacks have listeners of their own. */
export const everyRoutedPath = routes.flatMap(({ surface, path }) => {
  if (surface === 'callbacks' || (surface !== 'gateway' && besideTheEdge.includes(path))) return [];
  const asked = path.replaceAll(/\{[^}]+\}/g, 'a-1.b');
  return [[surface === 'gateway' ? `/api${asked}` : asked, surface, asked] as const];
});
