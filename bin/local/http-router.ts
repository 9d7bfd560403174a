/** Finds the function that answers a path: derived from the routes table, as API Gateway's resources are. */
import type { FunctionName } from '#core/contracts/functions.ts';
import type { Route } from '#core/contracts/routes.ts';
import { GatewayError } from '#core/kernel/errors.ts';

export interface Match {
  /** The path with its `{parameters}`. */
  readonly resource: string;
  /** Raw, still percent-encoded: the door decodes and judges them. */
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly handledBy: FunctionName;
}

export type Router = (method: string, path: string) => Match;

export class MethodNotAllowed extends GatewayError {
  readonly allow: string;

  constructor(method: string, path: string, allowed: readonly string[]) {
    const allow = allowed.join(', ');
    super('method_not_allowed', `${method} is not allowed at ${shortened(path)}; allowed: ${allow}.`);
    this.allow = allow;
  }
}

interface Resource {
  readonly path: string;
  readonly segments: readonly string[];
  readonly methods: Map<string, FunctionName>;
}

/** @throws GatewayError `not_found`, or MethodNotAllowed for a path that other methods have. */
export function createRouter(routes: readonly Route[]): Router {
  const resources = resourcesOf(routes);
  return (method, path) => {
    const given = path.split('/');
    const found = resources.find(({ segments }) => matches(segments, given));
    if (found === undefined) throw new GatewayError('not_found', `There is nothing at ${shortened(path)}.`);
    const handledBy = found.methods.get(method);
    if (handledBy === undefined) throw new MethodNotAllowed(method, path, [...found.methods.keys()]);
    return { resource: found.path, pathParameters: parametersOf(found.segments, given), handledBy };
  };
}

/** One resource per path; those with fewer parameters first, so that `/approvals/history` is no envelope id. */
function resourcesOf(routes: readonly Route[]): Resource[] {
  const byPath = new Map<string, Resource>();
  for (const { path, method, handledBy } of routes) {
    const resource = byPath.get(path) ?? { path, segments: path.split('/'), methods: new Map() };
    byPath.set(path, resource);
    resource.methods.set(method, handledBy);
    if (method === 'GET') resource.methods.set('HEAD', handledBy);
  }
  const parameters = ({ segments }: Resource) => segments.filter(isParameter).length;
  return [...byPath.values()].sort((one, other) => parameters(one) - parameters(other));
}

const isParameter = (segment: string): boolean => segment.startsWith('{');

/** Nothing is normalised: a doubled or encoded slash is part of a segment, never a way round a route. */
const matches = (segments: readonly string[], given: readonly string[]): boolean =>
  segments.length === given.length &&
  segments.every((segment, at) => (isParameter(segment) ? given[at] !== '' : segment === given[at]));

const parametersOf = (segments: readonly string[], given: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    segments.flatMap((segment, at) => (isParameter(segment) ? [[segment.slice(1, -1), given[at] ?? '']] : [])),
  );

const shortened = (path: string): string => (path.length > 200 ? `${path.slice(0, 200)}…` : path);
