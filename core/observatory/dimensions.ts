/** Dimensions of analytics [admin.analytics]: everything, a tenant, a model, a provider, a tool, a data plane. */
import type { RolloutArm } from '#core/contracts/rollout.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { invalidRequest } from '#core/kernel/errors.ts';

const dimensionKinds = ['tenant', 'model', 'provider', 'tool', 'plane'] as const;
/**
 * Kind of a dimension. `rollout` is used to judge rollouts, `upstream` for the health of MCP servers and HTTP services.
 * Neither of these can be queried.
 */
export type DimensionKind = (typeof dimensionKinds)[number] | 'rollout' | 'upstream';

/** `global`, or `<kind>:<name>`. */
export type Dimension = 'global' | `${DimensionKind}:${string}`;

/** Scope whose traffic is counted: a tenant id, or `everyTenant`. */
export type Scope = string;
/**
 * Scope of all tenants. It is not a valid tenant id, since tenant ids contain only letters, digits, `.`, `_` and `-`.
 */
export const everyTenant: Scope = '*';

/**
 * Length limit for names, which callers choose. A longer name is truncated and gets a digest, so that it stays unique.
 */
const longestName = 128;

/** Returns the dimension for a name, limited in length. */
export function dimensionOf(kind: DimensionKind, name: string): Dimension {
  if (name.length <= longestName) return `${kind}:${name}`;
  return `${kind}:${name.slice(0, longestName - 17).toWellFormed()}…${digestOf(name).slice(0, 16)}`;
}

/** Returns the dimension for one arm's calls during one observation of a rollout. */
export const rolloutDimension = (id: string, observation: number, arm: RolloutArm): Dimension =>
  dimensionOf('rollout', `${id}/${observation}/${arm}`);

/** Returns a dimension's kind and name; undefined for `global`. */
export function partsOf(dimension: Dimension): { readonly kind: DimensionKind; readonly name: string } | undefined {
  if (dimension === 'global') return undefined;
  const cut = dimension.indexOf(':');
  return { kind: dimension.slice(0, cut) as DimensionKind, name: dimension.slice(cut + 1) };
}

/** Returns how many names of one kind get their own buckets per day. Additional names are counted under `other`. */
export const maxNames = (scope: Scope): number => (scope === everyTenant ? 1_000 : 200);
export const otherName = 'other';

/**
 * Parses a query's dimension.
 * @throws GatewayError `invalid_request` listing the valid forms.
 */
export function parseDimension(text: string): Dimension {
  if (text === 'global') return text;
  const cut = text.indexOf(':');
  const kind = dimensionKinds.find((each) => each === text.slice(0, Math.max(0, cut)));
  const name = text.slice(cut + 1);
  if (kind !== undefined && name !== '') return dimensionOf(kind, name);
  throw invalidRequest(
    `dimension is ${JSON.stringify(text.slice(0, 64))}; it must be global, tenant:<id>, model:<name>, provider:<name>, tool:<name> or plane:<name>.`,
  );
}
