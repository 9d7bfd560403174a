/** What a GraphQL document would cost, measured before anything of it runs [graphql.limits]. */
import type { DocumentNode, FragmentDefinitionNode, SelectionSetNode, ValueNode } from 'graphql';
import { Kind } from 'graphql';
import { GatewayError } from '#core/kernel/errors.ts';

export const graphqlLimits = { tokens: 1_000, depth: 8, cost: 5_000 } as const;

interface Measured {
  readonly depth: number;
  readonly cost: number;
}

/** What a list is taken for that names no limit, and which lists have one. */
const usualLimit = 50;
const paged: ReadonlySet<string> = new Set(['violations', 'audit']);

/** @throws GatewayError `invalid_request` with what was measured and what is allowed. */
export function assertWithin(what: keyof typeof graphqlLimits, measured: number): void {
  if (measured <= graphqlLimits[what]) return;
  throw new GatewayError(
    'invalid_request',
    `The query has ${what} ${measured}; at most ${graphqlLimits[what]} is allowed. Ask for less at once.`,
    { data: { [what]: measured, allowed: graphqlLimits[what] } },
  );
}

/**
 * Depth and cost of the deepest and dearest path: a field costs one, times the limits of the lists above it. Aliases count each.
 * Fragments are followed where they are spread; one that spreads itself is refused by validation before.
 */
export function measured(document: DocumentNode, variables: Readonly<Record<string, unknown>>): Measured {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions)
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  let cost = 0;
  let deepest = 0;
  const walk = (set: SelectionSetNode | undefined, depth: number, times: number): void => {
    for (const selection of set?.selections ?? []) {
      if (cost > graphqlLimits.cost || deepest > graphqlLimits.depth) return; // enough is known
      if (selection.kind === Kind.FIELD) {
        const factor = times * limitIn(selection.name.value, selection.arguments ?? [], variables);
        cost += times;
        deepest = Math.max(deepest, depth);
        walk(selection.selectionSet, depth + 1, selection.selectionSet ? factor : times);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) walk(selection.selectionSet, depth, times);
      else walk(fragments.get(selection.name.value)?.selectionSet, depth, times);
    }
  };
  for (const node of document.definitions) if (node.kind === Kind.OPERATION_DEFINITION) walk(node.selectionSet, 1, 1);
  return { depth: deepest, cost };
}

function limitIn(
  field: string,
  given: readonly { readonly name: { readonly value: string }; readonly value: ValueNode }[],
  variables: Readonly<Record<string, unknown>>,
): number {
  const limit = given.find(({ name }) => name.value === 'limit')?.value;
  if (limit === undefined) return paged.has(field) ? usualLimit : 1;
  const value =
    limit.kind === Kind.VARIABLE ? variables[limit.name.value] : Number('value' in limit ? limit.value : Number.NaN);
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.ceil(value) : usualLimit;
}
