/** Finds the route of a path: for the local host, and for functions that API Gateway hands every path below `{proxy+}`. */

import type { FunctionName } from '#core/contracts/functions.ts';
import type { HttpEvent } from '#core/contracts/http.ts';
import { opensToPages, type Route } from '#core/contracts/routes.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { MethodNotAllowed, shortened } from './route.ts';

export interface Match {
  /** The path with its `{parameters}`. */
  readonly resource: string;
  /** Raw, still percent-encoded: the handler decodes and judges them. */
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly handledBy: FunctionName;
}

export type Router = (method: string, path: string) => Match;

/** What a client's settings have to be, for paths that its library makes [error.not-found-hint]. */
function hintOf(path: string): string {
  if (path.startsWith('/v1/v1/')) return ' The client adds /v1 itself: leave /v1 out of its base URL.';
  if (
    /^\/(chat\/completions|completions|responses|embeddings|moderations|images|audio|messages|models)(\/|$)/.test(path)
  )
    return ' The base URL of this client ends with /v1: add it.';
  if (
    !/^\/v1\/(audio|images|files|uploads|batches|messages\/batches|responses|assistants|fine_tuning|vector_stores)(\/|$)/.test(
      path,
    )
  )
    return '';
  if (path.startsWith('/v1/responses/'))
    return ' The gateway keeps no responses: set store to false in the client, and send the whole input instead of previous_response_id.';
  return ' The gateway serves chat/completions, responses, messages, models, embeddings, completions, moderations, images/generations, images/edits, audio/transcriptions and audio/translations: set the client to one of these, or point it to the provider for this endpoint.';
}

interface Resource {
  readonly path: string;
  readonly segments: readonly string[];
  readonly methods: Map<string, FunctionName>;
  /** Answers the preflight of a page; it knows the origins. */
  readonly preflight?: FunctionName;
}

/**
 * `/mcp/` is `/mcp`: clients and their users write both.
 * @throws GatewayError `not_found`, or MethodNotAllowed for a path that other methods have.
 */
export function createRouter(routes: readonly Route[]): Router {
  const resources = resourcesOf(routes);
  return (method, path) => {
    const given = (path === '/mcp/' ? '/mcp' : path).split('/');
    const found = resources.find(({ segments }) => matches(segments, given));
    if (found === undefined)
      throw new GatewayError('not_found', `There is nothing at ${shortened(path)}.${hintOf(path)}`);
    const handledBy = found.methods.get(method) ?? (method === 'OPTIONS' ? found.preflight : undefined);
    if (handledBy === undefined) throw new MethodNotAllowed(method, path, [...found.methods.keys()]);
    return { resource: found.path, pathParameters: parametersOf(found.segments, given), handledBy };
  };
}

/**
 * An event below `{proxy+}`, as API Gateway would send it if each route had a resource of its own [admin.proxied-routes].
 * A path of no route stays as it is, and no route matches it.
 */
export function createLocator(routes: readonly Route[]): (event: HttpEvent) => HttpEvent {
  const resources = resourcesOf(routes);
  return (event) => {
    if (!event.resource.endsWith('{proxy+}')) return event;
    const given = event.path.split('/');
    const found = resources.find(({ segments }) => matches(segments, given));
    return found ? { ...event, resource: found.path, pathParameters: parametersOf(found.segments, given) } : event;
  };
}

/** One resource per path; those with fewer parameters first, so that `/approvals/history` is not an envelope id. */
function resourcesOf(routes: readonly Route[]): Resource[] {
  const byPath = new Map<string, Resource>();
  for (const { path, method, surface, handledBy } of routes) {
    const preflight = opensToPages(surface) && { preflight: handledBy };
    const resource = byPath.get(path) ?? { path, segments: path.split('/'), methods: new Map(), ...preflight };
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
