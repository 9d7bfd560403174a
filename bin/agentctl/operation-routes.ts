/** Routes by operation. */
import type { Route } from '#core/contracts/route.ts';
import { routes } from '#features/routes.ts';

export function routeOf(operation: string): Route {
  const route = routes.find((each) => each.operation === operation);
  if (!route) throw new Error(`the routes table has no operation ${operation}`);
  return route;
}
