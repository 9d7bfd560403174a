/**
 * The API for callers of AWS, beside the ones for keys: an IAM authoriser stands before every method, so a path cannot take both
 * [identity.aws-api].
 */
import type { Route } from '#core/contracts/routes.ts';

/** What agents and services need: chat, MCP, actions, and who they are. Votes and administration are for people, by key or token. */
const adminOperations = ['testAction', 'whoami'];

/** Open and signed routes have no place behind an authoriser; `GET /health` of two surfaces is one path. */
export const iamRoutes = (routes: readonly Route[]): readonly Route[] =>
  routes.filter(
    ({ surface, access, operation }) =>
      access !== 'open' &&
      access !== 'signed' &&
      (surface === 'gateway' || surface === 'mcp' || adminOperations.includes(operation)),
  );
