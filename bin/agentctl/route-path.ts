/** Builds the addresses of operations from the route table. */
import type { Route } from '#core/contracts/route.ts';
import { routes } from '#core/contracts/routes.ts';
import { UsageError } from './failure.ts';

/** Query parameters; a list is sent as one parameter per value. */
export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

export function routeOf(operation: string): Route {
  const route = routes.find((each) => each.operation === operation);
  if (!route) throw new Error(`the routes table has no operation ${operation}`);
  return route;
}

/** Returns the route's path with its parameters filled in and its query appended. */
export function pathOf(route: Route, parameters: Readonly<Record<string, string>> = {}, query: Query = {}): string {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(checkedId(name, parameters[name])),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined) search.append(name, String(each));
  }
  return search.size > 0 ? `${path}?${search}` : path;
}

/** Checks an id: no slash, and not only dots, which a URL parser would resolve as a parent folder. */
function checkedId(name: string, id: string | undefined): string {
  if (name === 'version' && !/^[1-9]\d{0,15}$/.test(id ?? '')) {
    throw new UsageError(`a policy version is a whole number from 1, got ${JSON.stringify(id ?? '')}`);
  }
  if (id === undefined || !/^[A-Za-z0-9._:-]{1,128}$/.test(id) || /^\.+$/.test(id)) {
    throw new UsageError(
      `${name.replace('_', ' ')} must match [A-Za-z0-9._:-]{1,128}, got ${JSON.stringify(id ?? '')}`,
    );
  }
  return id;
}
