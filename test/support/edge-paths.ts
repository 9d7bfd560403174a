/**
 * Edge paths and their destinations, shared by the tests of the local edge and of the CloudFront function
 * [edge.listeners].
 */

import * as z from 'zod';
import { routes } from '#features/routes.ts';
import { readCases } from './yaml.ts';

const path = z.string();
/**
 * Routed: the path as the client sends it, the upstream, and the path and query sent to the upstream. Stray: paths that
 * match no route.
 */
export const { routed: routedPaths, stray: strayPaths } = readCases(
  'test/unit/edge/paths.yaml',
  z.strictObject({ routed: z.array(z.tuple([path, z.enum(['gateway', 'admin', 'mcp']), path])), stray: z.array(path) }),
);

/** Routes of the admin and MCP APIs outside `/admin` and `/mcp`, which the edge does not serve. */
export const besideTheEdge: readonly string[] = ['/health', '/metrics', '/sse'];

/**
 * All other routes: the path as a client requests it, the upstream, and the path sent to the upstream. Callbacks have
 * their own listeners.
 */
export const everyRoutedPath = routes.flatMap(({ surface, path }) => {
  if (surface === 'callbacks' || (surface !== 'gateway' && besideTheEdge.includes(path))) return [];
  const asked = path.replaceAll(/\{[^}]+\}/g, 'a-1.b');
  return [[surface === 'gateway' ? `/api${asked}` : asked, surface, asked] as const];
});
