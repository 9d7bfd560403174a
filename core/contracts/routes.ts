/**
 * Every HTTP route as data. The local host, API Gateway, the CLI, OpenAPI and the role-matrix test are all derived from this table.
 */
import type { Route } from './route.ts';
import { approvalRoutes } from './routes/approvals.ts';
import { credentialRoutes } from './routes/credentials.ts';
import { evidenceRoutes } from './routes/evidence.ts';
import { gatewayRoutes } from './routes/gateway.ts';
import { mcpRoutes } from './routes/mcp.ts';
import { observatoryRoutes } from './routes/observatory.ts';
import { policyRoutes } from './routes/policies.ts';

export const routes: readonly Route[] = [
  ...observatoryRoutes,
  ...approvalRoutes,
  ...evidenceRoutes,
  ...policyRoutes,
  ...credentialRoutes,
  ...gatewayRoutes,
  ...mcpRoutes,
];

const adminPrefix = '/admin/v1/';
/** Endpoints of models that few callers use; one function has them all. */
const besideChat = /^\/v1\/((completions|moderations|images|audio|files|batches)(\/|$)|responses\/)/;
/** Paths below these belong to one function each. */
const proxiedFamilies: readonly string[] = [
  ...['actions', 'approvals', 'archive', 'audit', 'credentials', 'evidence', 'federation', 'manifests', 'mcp'],
  ...['passkeys', 'policy-versions', 'rollouts', 'sessions', 'supply-chain', 'tickets'],
];

/**
 * The resource that stands for a route on AWS, and for others of its function; undefined where the route has its own. The function
 * finds the route: a stack ends at 500 resources [admin.proxied-routes].
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
