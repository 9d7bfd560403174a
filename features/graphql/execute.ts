/**
 * Runs a GraphQL document over the REST operations. Each field is an operation with its role, tenant and checks, so
 * GraphQL and REST expose the same data [admin.graphql].
 */
import {
  buildSchema,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  Kind,
  Lexer,
  parse,
  execute as run,
  type SelectionSetNode,
  Source,
  TokenKind,
  validate,
} from 'graphql';
import { asGatewayError, GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import { rememberedText } from '#core/kernel/remembered.ts';
import { assertWithin, graphqlLimits, measureOperation } from './limits.ts';
import { snakeCase } from './names.ts';

/** Resolver of a field of `Query` or `Mutation`. */
type FieldResolver<Context> = (args: Readonly<Record<string, unknown>>, context: Context) => Promise<unknown>;

interface GraphqlRequest {
  readonly query: string;
  readonly operationName?: string | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

interface GraphqlSettings<Context> {
  readonly queries: Readonly<Record<string, FieldResolver<Context>>>;
  readonly mutations: Readonly<Record<string, FieldResolver<Context>>>;
  /** Schema source text. */
  readonly source: string;
  /** True if the caller may read the schema. */
  readonly introspection: boolean;
}

const schemaOf = rememberedText((source: string): GraphQLSchema => buildSchema(source));

/**
 * Executes a document.
 * @throws GatewayError `invalid_request`, before anything is executed, if a document is invalid or too costly.
 */
export async function executeGraphql<Context>(
  { query, operationName, variables = {} }: GraphqlRequest,
  context: Context,
  { source, queries, mutations, introspection }: GraphqlSettings<Context>,
): Promise<{ data: unknown; errors?: object[] }> {
  const schema = schemaOf(source);
  const document = documentOf(query);
  assertFewRepeats(document);
  const faults = validate(schema, document, undefined, { maxErrors: 5 });
  if (document.definitions.some((each) => 'operation' in each && each.operation === 'subscription'))
    throw invalidRequest('The query is a subscription; allowed: query and mutation.');
  if (faults.length > 0)
    throw invalidRequest(`The query is not valid: ${faults.map(({ message }) => message.slice(0, 300)).join('; ')}`);
  if (!introspection && asksForSchema(document))
    throw invalidRequest('Introspection is for the role operator; docs/reference/schema.graphql has the schema.');
  const { depth, cost } = measureOperation(document, schema, variables);
  assertWithin('depth', depth);
  assertWithin('cost', cost);
  const roots = { ...queries, ...mutations };
  const { data, errors } = await run({
    schema,
    document,
    contextValue: context,
    variableValues: variables,
    ...(operationName !== undefined && { operationName }),
    fieldResolver: fieldResolver(roots),
  });
  if (data === undefined) throw invalidRequest(errors?.[0]?.message ?? 'The query could not be executed.');
  return { data, ...(errors && { errors: errors.map(errorAnswer) }) };
}

/** Parses a document. The number of tokens is limited before parsing. */
function documentOf(query: string): DocumentNode {
  try {
    const lexer = new Lexer(new Source(query));
    let tokens = 0;
    while (lexer.advance().kind !== TokenKind.EOF) {
      tokens += 1;
      if (tokens > graphqlLimits.tokens) break;
    }
    assertWithin('tokens', tokens);
    return parse(query, { maxTokens: graphqlLimits.tokens, noLocation: true });
  } catch (thrown) {
    if (thrown instanceof GatewayError) throw thrown;
    throw invalidRequest(`The query cannot be read: ${(thrown as Error).message.slice(0, 200)}`, {});
  }
}

const asksForSchema = (document: DocumentNode): boolean => {
  const inside = (node: unknown): boolean => {
    if (Array.isArray(node)) return node.some(inside);
    if (typeof node !== 'object' || node === null) return false;
    const { kind, name } = node as { kind?: string; name?: { value?: string } };
    if (kind === Kind.FIELD && (name?.value === '__schema' || name?.value === '__type')) return true;
    return Object.values(node).some(inside);
  };
  return inside(document.definitions);
};

/** Resolves a field. Root fields are operations; any other field is the member with the same name. */
const fieldResolver =
  <Context>(roots: Readonly<Record<string, FieldResolver<Context>>>): GraphQLFieldResolver<unknown, Context> =>
  (source, args, context, { fieldName, parentType }) => {
    if (parentType.name === 'Query' || parentType.name === 'Mutation') {
      const resolve = roots[fieldName];
      if (!resolve) throw new Error(`no operation answers the field ${fieldName}`);
      return resolve(args, context);
    }
    return (source as Record<string, unknown>)[snakeCase(fieldName)];
  };

/** Formats a field's error, with its code. Internal errors show no more detail than over REST. */
function errorAnswer({ message, path, originalError }: GraphQLError): object {
  const error = originalError && asGatewayError(originalError);
  const text = error ? error.toBody().error.message : message;
  return { message: text, ...(path && { path }), ...(error && { extensions: { code: error.code } }) };
}

/**
 * Maximum number of selections of the same field or fragment in one place. Clients merge generated selections, while
 * people write a field only once.
 */
const maxRepeats = 20;

/**
 * Checks all selections before validation, because validation compares selections of the same field or fragment
 * pairwise [admin.graphql].
 * @throws GatewayError `invalid_request`.
 */
function assertFewRepeats({ definitions }: DocumentNode): void {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of definitions) if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  let visited = 0;

  /** Walks through the selections that are merged into one object. */
  const walk = (sets: readonly SelectionSetNode[], depth: number): void => {
    assertWithin('depth', depth);
    const fields = new Map<string, FieldNode[]>();
    const spread = new Set<string>();
    let spreads = 0;
    const collect = ({ selections }: SelectionSetNode): void => {
      for (const selection of selections) {
        assertWithin('cost', ++visited);
        if (selection.kind === Kind.FIELD) {
          const name = (selection.alias ?? selection.name).value;
          const same = fields.get(name) ?? [];
          same.push(selection);
          if (same.length > maxRepeats) throw tooMany(`the field ${name.slice(0, 64)}`);
          fields.set(name, same);
        } else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet);
        else {
          if (++spreads > maxRepeats) throw tooMany('fragments');
          const { value: name } = selection.name;
          const fragment = fragments.get(name);
          if (!fragment || spread.has(name)) continue;
          spread.add(name);
          collect(fragment.selectionSet);
        }
      }
    };
    for (const set of sets) collect(set);
    for (const same of fields.values()) {
      const below = same.flatMap(({ selectionSet }) => selectionSet ?? []);
      if (below.length > 0) walk(below, depth + 1);
    }
  };

  for (const node of definitions) {
    if (node.kind !== Kind.OPERATION_DEFINITION && node.kind !== Kind.FRAGMENT_DEFINITION) continue;
    visited = 0;
    walk([node.selectionSet], 1);
  }
}

const tooMany = (what: string) =>
  invalidRequest(
    `The query selects ${what} more than ${maxRepeats} times in one place; at most ${maxRepeats} are allowed. Select identical fields once, and use aliases for different ones.`,
    { allowed: maxRepeats },
  );
