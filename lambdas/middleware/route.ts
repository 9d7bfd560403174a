/** Matches an event to a route, and checks its parameters and query. */
import type { HttpEvent } from '#core/contracts/http.ts';
import type { Route } from '#core/contracts/route.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';

export interface Inputs {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** All values of repeatable parameters. */
  readonly repeated: Readonly<Record<string, readonly string[]>>;
}

/** Format of ids and versions in paths. Values in any other format cannot exist. */
const parameterPattern = /^[A-Za-z0-9._:*@#-]{1,200}$/;

/**
 * Format of names in paths that were chosen by other parties: model names contain slashes and spaces, such as
 * `meta-llama/Llama-4`.
 */
const chosenNames: Readonly<Record<string, RegExp>> = { '/v1/models/{id}': /^[^\p{Cc}]{1,256}$/u };

export class MethodNotAllowed extends GatewayError {
  /** Value of the `Allow` header. */
  readonly allow: string;

  constructor(method: string, path: string, allowed: readonly string[]) {
    const allow = allowed.join(', ');
    super('method_not_allowed', `${method} is not allowed at ${shortenPath(path)}; allowed: ${allow}.`);
    this.allow = allow;
  }
}

export const shortenPath = (path: string): string => (path.length > 200 ? `${path.slice(0, 200)}…` : path);

/** Returns the route. @throws GatewayError 404 for an unknown path, 405 for a method that the path does not support. */
export function matchRoute<R extends Route>(routes: readonly R[], event: HttpEvent): R {
  const method = event.httpMethod === 'HEAD' ? 'GET' : event.httpMethod;
  const route = routes.find((candidate) => candidate.path === event.resource && candidate.method === method);
  if (!route) {
    const known = routes
      .filter((candidate) => candidate.path === event.resource)
      .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    if (known.length === 0) throw new GatewayError('not_found', `No route matches ${shortenPath(event.path)}.`);
    throw new MethodNotAllowed(method, event.path, known);
  }
  return route;
}

/** Returns the checked inputs. @throws GatewayError 400 for an unknown parameter or a malformed value. */
export const inputsOf = (route: Route, event: HttpEvent): Inputs => ({
  params: parametersOf(event),
  ...queryOf(route, event),
});

function parametersOf(event: HttpEvent): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [name, raw] of Object.entries(event.pathParameters ?? {})) {
    const value = decoded(raw ?? '');
    if (!(chosenNames[event.resource] ?? parameterPattern).test(value))
      throw invalidRequest(
        `The path parameter ${name} is not a valid id; allowed are 1 to 200 letters, digits and . _ : * @ # -`,
      );
    params[name] = value;
  }
  return params;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new GatewayError('invalid_request', 'The path holds a malformed percent-encoding.', { cause });
  }
}

/** Maximum number of values per repeated parameter. */
const maxRepeated = 100;

function queryOf(route: Route, event: HttpEvent): Pick<Inputs, 'query' | 'repeated'> {
  const allowed = route.query ?? [];
  const query: Record<string, string> = {};
  const repeated: Record<string, readonly string[]> = {};
  for (const [name, values] of Object.entries(event.multiValueQueryStringParameters ?? {})) {
    if (!allowed.includes(name)) {
      const list = allowed.length === 0 ? 'none' : allowed.join(', ');
      throw invalidRequest(`Unknown query parameter ${JSON.stringify(name.slice(0, 64))}; this route takes: ${list}.`);
    }
    if (route.repeatable?.includes(name)) {
      if ((values?.length ?? 0) > maxRepeated)
        throw invalidRequest(`The query parameter ${name} is given more than ${maxRepeated} times, the most allowed.`);
      repeated[name] = values ?? [];
      continue;
    }
    if (values?.length !== 1)
      throw invalidRequest(`The query parameter ${name} is given more than once; give it once.`);
    query[name] = values[0] as string;
  }
  return { query, repeated };
}
