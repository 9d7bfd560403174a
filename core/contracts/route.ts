/** Type of a route: method, path, access rules and handling function. */
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
   * `open`: no credential (only /health); `signed`: a signature of the body; `plane`: the token of a data plane, not a
   * key.
   */
  readonly access: Role | 'open' | 'signed' | 'plane';
  /** Access of agent keys: full, only to their own sessions, or none. */
  readonly agents: 'yes' | 'own' | 'no';
  /** Set if only humans may call it (votes). */
  readonly humansOnly?: true;
  /** Set for global objects, which need the admin token or a `platform: true` key. */
  readonly platform?: true;
  readonly handledBy: FunctionName;
  /** Key in the table of operations, name of the function in core/operations, and operation id in OpenAPI. */
  readonly operation: string;
  /**
   * Whether a request counts toward the per-minute limits of tenant and key before it runs [limit.requests]. Handlers
   * of chat calls, MCP messages and MCP streams count these themselves.
   */
  readonly counts?: true;
  readonly summary: string;
  readonly query?: readonly string[];
  /** Query parameters that may be repeated. */
  readonly repeatable?: readonly string[];
}

/** Checks whether browser pages of configured origins may call a surface. Browsers send OPTIONS first (CORS). */
export const opensToPages = (surface: Route['surface']): boolean => surface === 'gateway' || surface === 'mcp';

/** Optional members of a route. */
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
/** Query parameters of paged lists. */
export const paging = ['limit', 'cursor'] as const;
