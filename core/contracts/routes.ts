/** API Gateway paths that several routes share. */
import type { Route } from './route.ts';

const adminPrefix = '/admin/v1/';
/** Rarely used model endpoints, all handled by one function. */
const besideChat = /^\/v1\/((completions|moderations|images|audio|files|batches)(\/|$)|responses\/)/;
/** Path prefixes that each belong to one function. */
const proxiedFamilies: readonly string[] = [
  ...['actions', 'approvals', 'archive', 'audit', 'credentials', 'evidence', 'federation', 'manifests', 'mcp'],
  ...['passkeys', 'policy-versions', 'rollouts', 'sessions', 'supply-chain', 'tickets'],
];

/**
 * Returns the API Gateway resource that a route shares with other routes of its function, or undefined if it has its
 * own. The function then finds the route. This keeps a stack below 500 resources [admin.routes].
 */
export function proxyPathOf({
  surface,
  path,
  handledBy,
}: Pick<Route, 'surface' | 'path' | 'handledBy'>): string | undefined {
  if (surface === 'gateway' && besideChat.test(path)) return '/v1/{proxy+}';
  if (surface !== 'admin' || !path.startsWith(adminPrefix)) return undefined;
  if (handledBy === 'observatory') return `${adminPrefix}{proxy+}`;
  const [family = '', ...below] = path.slice(adminPrefix.length).split('/');
  return below.length > 0 && proxiedFamilies.includes(family) ? `${adminPrefix}${family}/{proxy+}` : undefined;
}
