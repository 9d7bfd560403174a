/** Routes by operation. */
import type { Endpoint } from '#core/operations/endpoint.ts';
import { routes } from '#features/routes.ts';

export function routeOf(operation: string): Endpoint {
  const route = routes.find((each) => each.operation === operation);
  if (!route) throw new Error(`the routes table has no operation ${operation}`);
  return route;
}
