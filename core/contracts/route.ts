/** What a route is: method, path, who may call it, which function answers. */
import type { FunctionName } from './functions.ts';

export const roles = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof roles)[number];
export const keyKinds = ['agent', 'human', 'service'] as const;
export type KeyKind = (typeof keyKinds)[number];

export const includesRole = (held: Role, needed: Role): boolean => roles.indexOf(held) >= roles.indexOf(needed);

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path with `{parameters}`, relative to the surface. */
  readonly path: string;
  readonly surface: 'admin' | 'callbacks' | 'gateway' | 'mcp';
  /**
   * `open`: no credential (only /health); `signed`: the caller proves itself by a body signature; `plane`: the token of a data
   * plane, and no key.
   */
  readonly access: Role | 'open' | 'signed' | 'plane';
  /** What agent keys may do here: all, only what belongs to their own sessions, or nothing. */
  readonly agents: 'yes' | 'own' | 'no';
  /** Only humans (votes). */
  readonly humansOnly?: true;
  /** Needs the admin token or a `platform: true` key: the thing is global. */
  readonly platform?: true;
  readonly handledBy: FunctionName;
  /** A key of the table of operations, the name of the function in core/operations, and the operation id in OpenAPI. */
  readonly operation: string;
  /**
   * Whether a request counts as one of the minute of its tenant and its key before it runs [limit.requests]. Chat calls, MCP
   * messages and streams of MCP are counted by what answers them.
   */
  readonly counts?: true;
  readonly summary: string;
  readonly query?: readonly string[];
  /** Those of `query` that may be given more than once. */
  readonly repeatable?: readonly string[];
}

/** Surfaces that pages in a browser may call, where the configuration lists their origin: browsers ask first, by OPTIONS. */
export const opensToPages = (surface: Route['surface']): boolean => surface === 'gateway' || surface === 'mcp';

/** Of a route, what most routes have alike. */
type Options = Partial<
  Pick<Route, 'agents' | 'humansOnly' | 'platform' | 'query' | 'repeatable' | 'surface' | 'counts'>
>;

// biome-ignore lint/complexity/useMaxParams: a call is a row of a table, in the order of its columns
export const route = (
  call: `${Route['method']} /${string}`,
  handledBy: FunctionName,
  access: Route['access'],
  operation: string,
  summary: string,
  options: Options = {},
): Route => {
  const [method, path] = call.split(' ') as [Route['method'], string];
  return { method, path, surface: 'admin', access, agents: 'no', handledBy, operation, summary, ...options };
};

export const adminRoot = '/admin/v1';
/** Of lists that are answered by the page. */
export const paging = ['limit', 'cursor'] as const;
