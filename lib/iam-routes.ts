/**
 * Routes of the API for callers with AWS credentials, separate from the routes for keys: an IAM authoriser precedes
 * every method, so one path cannot serve both [identity.aws-callers].
 */
import type { Route } from '#core/contracts/route.ts';
import { proxyPathOf } from '#core/contracts/routes.ts';

/**
 * Operations that agents and services need: chat, MCP, actions, and their identity. Votes and administration are for
 * people, who use a key or token.
 */
const adminOperations = ['testAction', 'whoami'];

/**
 * Checks whether an IAM policy can name the route. A proxy hides methods and paths, so proxied endpoints are available
 * only with keys.
 */
const isListed = (route: Route): boolean => route.surface === 'gateway' && proxyPathOf(route) === undefined;

/**
 * Returns the routes except open and signed routes, which an authoriser would block. `GET /health`, which two surfaces
 * have, is a single path.
 */
export const iamRoutes = (routes: readonly Route[]): readonly Route[] =>
  routes.filter(
    (route) =>
      route.access !== 'open' &&
      route.access !== 'signed' &&
      (isListed(route) || route.surface === 'mcp' || adminOperations.includes(route.operation)),
  );
