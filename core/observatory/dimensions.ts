/** What analytics is counted by [analytics.buckets]: everything, a tenant, a model, a provider, a tool, a data plane. */
import type { RolloutArm } from '#core/contracts/rollout.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { invalidRequest } from '#core/kernel/errors.ts';

const dimensionKinds = ['tenant', 'model', 'provider', 'tool', 'plane'] as const;
/** `rollout` is for the judgement of rollouts, `upstream` for the health of MCP servers and HTTP services; neither is for queries. */
export type DimensionKind = (typeof dimensionKinds)[number] | 'rollout' | 'upstream';

/** `global`, or `<kind>:<name>`. */
export type Dimension = 'global' | `${DimensionKind}:${string}`;

/** Whose traffic is counted: a tenant's id, or `everyTenant`. */
export type Scope = string;
/** No id of a tenant: those hold letters, digits, `.`, `_` and `-`. */
export const everyTenant: Scope = '*';

/** Callers choose names of models and tools: a longer one is cut and keeps a digest, so that it stays a name of its own. */
const longestName = 128;

/** The dimension of a name, bounded in length. */
export function dimensionOf(kind: DimensionKind, name: string): Dimension {
  if (name.length <= longestName) return `${kind}:${name}`;
  return `${kind}:${name.slice(0, longestName - 17).toWellFormed()}…${digestOf(name).slice(0, 16)}`;
}

/** Calls of one arm during one observation of a rollout. */
export const rolloutDimension = (id: string, observation: number, arm: RolloutArm): Dimension =>
  dimensionOf('rollout', `${id}/${observation}/${arm}`);

/** Kind and name; undefined for `global`. */
export function partsOf(dimension: Dimension): { readonly kind: DimensionKind; readonly name: string } | undefined {
  if (dimension === 'global') return undefined;
  const cut = dimension.indexOf(':');
  return { kind: dimension.slice(0, cut) as DimensionKind, name: dimension.slice(cut + 1) };
}

/** Names of one kind that have buckets of their own on one day; those that come later are counted under `other`. */
export const maxNames = (scope: Scope): number => (scope === everyTenant ? 1_000 : 200);
export const otherName = 'other';

/**
 * A dimension as a query names it.
 * @throws GatewayError `invalid_request` saying which forms there are.
 */
export function parseDimension(text: string): Dimension {
  if (text === 'global') return text;
  const cut = text.indexOf(':');
  const kind = dimensionKinds.find((each) => each === text.slice(0, Math.max(0, cut)));
  const name = text.slice(cut + 1);
  if (kind !== undefined && name !== '') return dimensionOf(kind, name);
  throw invalidRequest(
    `dimension is ${JSON.stringify(text.slice(0, 64))}; it takes global, tenant:<id>, model:<name>, provider:<name>, tool:<name> or plane:<name>.`,
  );
}
