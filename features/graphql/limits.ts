/** Measures the cost of a GraphQL document before execution [admin.graphql]. */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getVariableValues,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { GatewayError } from '#core/kernel/errors.ts';

export const graphqlLimits = { tokens: 1_000, depth: 8, cost: 5_000 } as const;

/** Assumed length of a list that has no limit. */
const usualLimit = 50;
const paged: ReadonlySet<string> = new Set(['violations', 'audit']);
/** Approximate lengths of the lists in the schema itself. */
const introspected: ReadonlyMap<string, number> = new Map(
  Object.entries({ types: 70, fields: 5, inputFields: 5, enumValues: 5, args: 2 }),
);

/** Checks a limit. @throws GatewayError `invalid_request` that states the measured and the allowed value. */
export function assertWithin(what: keyof typeof graphqlLimits, measured: number): void {
  if (measured <= graphqlLimits[what]) return;
  throw new GatewayError(
    'invalid_request',
    `The query has ${what} ${measured}; at most ${graphqlLimits[what]} is allowed. Ask for less in one query.`,
    { data: { [what]: measured, allowed: graphqlLimits[what] } },
  );
}

type Values = Readonly<Record<string, unknown>>;

/**
 * Measures depth and cost. A field costs one, multiplied by the limits of the lists above it; each alias counts.
 * Fragments are followed, since validation has already rejected recursive ones. Arguments have their runtime values:
 * those of variables, the variables' defaults, or the schema's defaults [admin.graphql].
 * @param document a document that is valid for the schema.
 */
export function measureOperation(document: DocumentNode, schema: GraphQLSchema, variables: Values) {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions)
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  let cost = 0;
  let deepest = 0;
  let visited = 0;
  const walk = (
    set: SelectionSetNode,
    of: GraphQLNamedType | undefined,
    values: Values,
    at: SelectionPosition,
  ): void => {
    for (const selection of set.selections) {
      // The result is already over the limit. The number of visits is limited too, because nested fragments without
      // fields cost nothing and can double.
      if (cost > graphqlLimits.cost || deepest > graphqlLimits.depth || ++visited > 2 * graphqlLimits.cost) return;
      if (selection.kind === Kind.FIELD) {
        cost += at.times;
        deepest = Math.max(deepest, at.depth);
        if (!selection.selectionSet) continue;
        const field = isObjectType(of) ? of.getFields()[selection.name.value] : undefined;
        const times =
          at.times * (field ? limitIn(field, selection, values) : (introspected.get(selection.name.value) ?? 1));
        walk(selection.selectionSet, field && getNamedType(field.type), values, { depth: at.depth + 1, times });
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        walk(selection.selectionSet, typeOf(selection.typeCondition?.name.value) ?? of, values, at);
      } else {
        const fragment = fragments.get(selection.name.value);
        if (fragment) walk(fragment.selectionSet, typeOf(fragment.typeCondition.name.value), values, at);
      }
    }
  };
  const typeOf = (name: string | undefined) => (name === undefined ? undefined : schema.getType(name));
  for (const node of document.definitions) {
    if (node.kind !== Kind.OPERATION_DEFINITION) continue;
    const root = schema.getRootType(node.operation) ?? undefined;
    walk(node.selectionSet, root, variableValues(node, schema, variables), { depth: 1, times: 1 });
  }
  return { depth: deepest, cost: visited > 2 * graphqlLimits.cost ? Math.max(cost, visited) : cost };
}

interface SelectionPosition {
  readonly depth: number;
  readonly times: number;
}

/** Returns the values of variables. If a value is invalid, the operation is rejected before it runs. */
function variableValues(
  { variableDefinitions = [] }: OperationDefinitionNode,
  schema: GraphQLSchema,
  given: Values,
): Values {
  return getVariableValues(schema, variableDefinitions, given, { maxErrors: 1 }).coerced ?? {};
}

/** Returns a list's limit. The operation itself rejects an invalid limit. */
function limitIn(field: Parameters<typeof getArgumentValues>[0], node: FieldNode, values: Values): number {
  if (!paged.has(node.name.value)) return 1;
  try {
    const { limit } = getArgumentValues(field, node, values);
    return typeof limit === 'number' && limit > 0 ? limit : usualLimit;
  } catch {
    return usualLimit; // a variable without a value: the field is not run
  }
}
