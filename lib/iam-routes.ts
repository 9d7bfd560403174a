/**
 * The API for callers of AWS, beside the ones for keys: an IAM authoriser stands before every method, so a path cannot take both
 * [identity.aws-api].
 */
import type { Route } from '#core/contracts/route.ts';
import { proxyPathOf } from '#core/contracts/routes.ts';

/** What agents and services need: chat, MCP, actions, and who they are. Votes and administration are for people, by key or token. */
const adminOperations = ['testAction', 'whoami'];

/** A policy of IAM names methods and paths, which a proxy hides: endpoints beside chat are for keys. */
const isListed = (route: Route): boolean => route.surface === 'gateway' && proxyPathOf(route) === undefined;

/** Open and signed routes have no place behind an authoriser; `GET /health` of two surfaces is one path. */
export const iamRoutes = (routes: readonly Route[]): readonly Route[] =>
  routes.filter(
    (route) =>
      route.access !== 'open' &&
      route.access !== 'signed' &&
      (isListed(route) || route.surface === 'mcp' || adminOperations.includes(route.operation)),
  );
