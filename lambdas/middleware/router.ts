/** Finds a path's route, for the local host and for functions that serve all paths below `{proxy+}`. */
import type { FunctionName } from '#core/contracts/functions.ts';
import type { HttpEvent } from '#core/contracts/http.ts';
import { opensToPages, type Route } from '#core/contracts/route.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { MethodNotAllowed, shortenPath } from './route.ts';

export interface Match {
  /** The path with its `{parameters}`. */
  readonly resource: string;
  /** Percent-encoded values. The handler decodes and checks them. */
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly handledBy: FunctionName;
}

type Router = (method: string, path: string) => Match;

interface Resource {
  readonly path: string;
  readonly segments: readonly string[];
  readonly methods: Map<string, FunctionName>;
  /** The function that answers preflights, because it has the list of allowed origins. */
  readonly preflight?: FunctionName;
}

/**
 * Creates a router. `/mcp/` is treated as `/mcp`, because clients and users write both forms.
 * @throws GatewayError `not_found`, or MethodNotAllowed for a path that exists with other methods.
 */
export function createRouter(routes: readonly Route[]): Router {
  const find = finderOf(routes);
  return (method, path) => {
    const { found, given } = find(path === '/mcp/' ? '/mcp' : path);
    if (found === undefined) throw notThere(path);
    const handledBy = found.methods.get(method) ?? (method === 'OPTIONS' ? found.preflight : undefined);
    // A path built by a client library may look like an id of a resource with other methods.
    if (handledBy === undefined && method === 'POST' && hintOf(path) !== '') throw notThere(path);
    if (handledBy === undefined) throw new MethodNotAllowed(method, path, [...found.methods.keys()]);
    return { resource: found.path, pathParameters: parametersOf(found.segments, given), handledBy };
  };
}

const notThere = (path: string): GatewayError =>
  new GatewayError('not_found', `No route matches ${shortenPath(path)}.${hintOf(path)}`);

/**
 * Converts an event below `{proxy+}` to the form that API Gateway would send if each route had its own resource
 * [admin.routes]. A path without a route is left unchanged and does not match.
 */
export function createLocator(routes: readonly Route[]): (event: HttpEvent) => HttpEvent {
  const find = finderOf(routes);
  return (event) => {
    if (!event.resource.endsWith('{proxy+}')) return event;
    const { found, given } = find(event.path);
    return found ? { ...event, resource: found.path, pathParameters: parametersOf(found.segments, given) } : event;
  };
}

interface RouteMatch {
  readonly found: Resource | undefined;
  /** The path's segments. Empty for a path without parameters. */
  readonly given: readonly string[];
}

/**
 * Returns a function that finds a path. Paths without parameters are looked up first, because they take precedence and
 * are the most common.
 */
function finderOf(routes: readonly Route[]): (path: string) => RouteMatch {
  const resources = resourcesOf(routes);
  const literal = new Map(
    resources.filter(({ segments }) => !segments.some(isParameter)).map((resource) => [resource.path, resource]),
  );
  const open = resources.filter(({ segments }) => segments.some(isParameter));
  return (path) => {
    const known = literal.get(path);
    if (known) return { found: known, given: noSegments };
    const given = path.split('/');
    return { found: open.find(({ segments }) => matchesSegments(segments, given)), given };
  };
}

const noSegments: readonly string[] = [];

/**
 * Returns one resource per path. Resources with fewer parameters come first, so that `/approvals/history` is not parsed
 * as an envelope id.
 */
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

/**
 * Checks segments without normalising them: a doubled or encoded slash is part of a segment and cannot bypass a route.
 */
const matchesSegments = (segments: readonly string[], given: readonly string[]): boolean =>
  segments.length === given.length &&
  segments.every((segment, at) => (isParameter(segment) ? given[at] !== '' : segment === given[at]));

const parametersOf = (segments: readonly string[], given: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    segments.flatMap((segment, at) => (isParameter(segment) ? [[segment.slice(1, -1), given[at] ?? '']] : [])),
  );

const served =
  'The gateway serves chat/completions, responses, messages, models, embeddings, files, batches, completions, moderations, images/generations, images/edits, audio/transcriptions, audio/translations and audio/speech';

/** Returns the hints; the first match is used. This is a function so that a bundle without a router drops the list. */
const hints = (): readonly (readonly [path: RegExp, hint: string])[] => [
  [
    /^\/(openai\/|v1\/engines\/|engines\/)/,
    'The gateway does not serve Azure OpenAI paths: use the OpenAI client with a base URL that ends with /v1, the key as Authorization: Bearer or X-API-Key, and the model name in the body.',
  ],
  [/\/\//, 'Leave out the doubled slash: the base URL must not end with a slash.'],
  [
    /^\/(?!(admin|v1)\/)[^/]+\/v1\/(chat\/completions|completions|responses|messages|embeddings|models)/,
    'Paths begin with /v1 here: leave the part before it out of the base URL.',
  ],
  [/^(\/v1)?\/chats?(\/completion)?\/?$/, 'Chat completions are at POST /v1/chat/completions.'],
  [/^(\/v1)?\/message\/?$/, 'Messages are at POST /v1/messages.'],
  [
    /^(\/v1)?\/complet(e|ion)\/?$/,
    'Chat completions are at POST /v1/chat/completions, text completions at POST /v1/completions.',
  ],
  [
    /^(\/v1)?\/(response|embedding|model|moderation|file|batch)(\/|$)/,
    'Paths are in the plural: /v1/responses, /v1/embeddings, /v1/models, /v1/moderations, /v1/files, /v1/batches.',
  ],
  [/^\/v1\/.*\/$/, 'Leave out the slash at the end of the path.'],
  [/^\/v1\/v1\//, 'The client adds /v1 itself: leave /v1 out of its base URL.'],
  [
    /^\/(chat\/completions|completions|responses|embeddings|moderations|images|audio|files|batches|messages|models)(\/|$)/,
    'The base URL of this client must end with /v1: add it.',
  ],
  [
    /^\/v1\/responses\/(input_tokens|compact)$/,
    'The gateway does not count or compact responses: let the client estimate tokens and shorten the conversation itself.',
  ],
  [
    /^\/v1\/responses\/[^/]+\/cancel$/,
    'Responses do not run in the background here, so they cannot be cancelled: close the stream to end a response.',
  ],
  [
    /^\/v1\/conversations(\/|$)/,
    'The gateway keeps no conversations: continue a response with previous_response_id if the provider stores responses, or send the whole input.',
  ],
  [
    /^\/v1\/messages\/batches(\/|$)/,
    'The gateway supports only batches in the OpenAI format: use /v1/files and /v1/batches, send the calls one by one, or point the client to the provider for its batches.',
  ],
  [
    /^\/v1\/uploads(\/|$)/,
    'The gateway accepts files only for batches, and only whole, at /v1/files: put other content into the request (image, file and document parts), or point the client to the provider for its files.',
  ],
  [
    /^\/v1beta\//,
    'The gateway does not support the Gemini API: use an OpenAI client (base URL with /v1) or an Anthropic client (without).',
  ],
  [
    /^\/v1\/(audio|images|assistants|threads|fine_tuning|vector_stores|realtime|rerank|containers|evals|videos)(\/|$)/,
    `${served}: set the client to one of these, or point it to the provider for this endpoint.`,
  ],
];

/** Returns a hint with a leading space, or an empty string. */
export function hintOf(path: string): string {
  const hint = hints().find(([pattern]) => pattern.test(path))?.[1];
  return hint === undefined ? '' : ` ${hint}`;
}
