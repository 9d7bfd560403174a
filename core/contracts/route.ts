/** Type of a route: method, path, access rules and handling function. */
import type { Surface } from './function-spec.ts';
import type { FunctionName } from './functions.ts';

export const roles = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof roles)[number];
export const keyKinds = ['agent', 'human', 'service'] as const;
export type KeyKind = (typeof keyKinds)[number];

export const includesRole = (held: Role, needed: Role): boolean => roles.indexOf(held) >= roles.indexOf(needed);

/** An operation in the GraphQL schema. */
export interface GraphField {
  /** The field of `Query`, with its arguments. */
  readonly field: string;
  /** Types that only this field uses. */
  readonly types: string;
  /** The member of the operation's response that holds the list. If absent, the field is the whole response. */
  readonly member?: string;
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path with `{parameters}`, relative to the surface. */
  readonly path: string;
  readonly surface: Surface;
  /**
   * `open`: no credential (only /health). `signed`: a signature of the body. `plane`: a data plane's token, not a key.
   */
  readonly access: Role | 'open' | 'signed' | 'plane';
  /** Access for agent keys: full, only to their own sessions, or none. */
  readonly agents: 'yes' | 'own' | 'no';
  /** Set if only humans may call the route (votes). */
  readonly humansOnly?: true;
  /** Set for global objects, which need the admin token or a `platform: true` key. */
  readonly platform?: true;
  readonly handledBy: FunctionName;
  /** OpenAPI operation id, by which clients and handlers refer to the route. */
  readonly operation: string;
  /**
   * Set if a request counts toward the per-minute limits of its tenant and key before it runs [limit.rate]. Handlers of
   * chat calls, MCP messages and MCP streams count their requests themselves.
   */
  readonly counts?: true;
  /** Maximum body size of an admin operation or a callback. Default: that of an envelope. */
  readonly maxBodyBytes?: number;
  /** The operation as a field of the GraphQL schema. */
  readonly graph?: GraphField;
  readonly summary: string;
  readonly query?: readonly string[];
  /** Query parameters that may be repeated. */
  readonly repeatable?: readonly string[];
}

/** Checks whether browser pages from configured origins may call a surface. Browsers send OPTIONS first (CORS). */
export const opensToPages = (surface: Route['surface']): boolean => surface === 'gateway' || surface === 'mcp';

/** Query parameters for paged lists. */
export const paging = ['limit', 'cursor'] as const;
