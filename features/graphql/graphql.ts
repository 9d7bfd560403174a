/** `POST /admin/v1/graphql`: the REST operations as one graph. */

import { catalogGuard } from '#core/catalog/guards.ts';
import { authorize } from '#core/configuration/identity/authorize.ts';
import type { CatalogGuard } from '#core/contracts/guard-names.ts';
import { includesRole } from '#core/contracts/route.ts';
import type { ToolGuard } from '#core/contracts/tool-policy.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { remembered } from '#core/kernel/remembered.ts';
import { type Call, type Operation, parseBySchema, type RoutedOperation } from '#core/operations/operation.ts';
import { countsOf, snakeMembers } from './names.ts';
import { requestSchema } from './request.ts';
import { fieldName, sdl } from './schema.ts';

type Body = Record<string, unknown>;
type Args = Readonly<Record<string, unknown>>;

/** The call with the document, and the number of operations it has started. */
interface DocumentCall extends Call {
  readonly begun: { operations: number };
}

const byId =
  (operation: string) =>
  ({ id }: Args, call: DocumentCall) =>
    as(operation, {}, call, { id: String(id) });

/** Responses whose shape differs from REST, or that have members in addition to the list. */
const shapes: Readonly<Record<string, (body: Body) => Body>> = {
  usage: usageBody,
  listPolicies: policiesOf,
  analytics: seriesOf,
  audit: ({ unreadable = [] }) => ({ unreadable }),
  violations: ({ by_policy, by_rule, by_tenant, by_action }) => ({
    by_policy: countsOf(by_policy),
    by_rule: countsOf(by_rule),
    by_tenant: countsOf(by_tenant),
    by_action: countsOf(by_action),
  }),
};

/** Returns a query that runs an operation. @param member response member that contains a field's list. */
const query = (operation: string, member?: string) => async (args: Args, call: DocumentCall) => {
  const body = await as(operation, args, call);
  const shaped = shapes[operation]?.(body);
  if (member === undefined) return shaped ?? body;
  return { nodes: body[member], page_info: pageInfo(body), ...shaped };
};

/** Returns this process's schema and its queries: the fields from the definitions, and those with a different shape. */
const graphOver = remembered((served: Readonly<Record<string, RoutedOperation>>) => {
  const stated = Object.entries(served).flatMap(([id, { route }]) => (route.graph ? [{ id, ...route.graph }] : []));
  const queries = Object.fromEntries(stated.map(({ id, field, member }) => [fieldName(field), query(id, member)]));
  const reshaped = { usage: query('usage'), policies: query('listPolicies'), analytics: query('analytics') };
  return { source: sdl(stated), queries: { ...queries, ...reshaped } };
});

const mutations = {
  acknowledgeAlert: byId('acknowledgeAlert'),
  createRollout: ({ input }: Args, call: DocumentCall) =>
    as('createRollout', {}, call, {}, snakeMembers(input as Args) as JsonObject),
  pauseRollout: byId('pauseRollout'),
  resumeRollout: byId('resumeRollout'),
  rollbackRollout: byId('rollbackRollout'),
};

/** Executes a GraphQL document. */
export const graphql: Operation = async (call) => {
  try {
    const { query, operationName, variables } = parseBySchema(requestSchema, call.body());
    // Loaded with the first query, because this function serves many other routes.
    const { executeGraphql } = await import('./execute.ts');
    const request = { query, operationName: operationName ?? undefined, variables: variables ?? undefined };
    const document: DocumentCall = { ...call, begun: { operations: 0 } };
    const introspection = includesRole(call.principal.role, 'operator');
    return { body: await executeGraphql(request, document, { ...graphOver(call.served), mutations, introspection }) };
  } catch (fault) {
    throw fault instanceof GatewayError ? new RefusedDocument(fault) : fault;
  }
};

/**
 * Error for a document that was not run at all. It is also included as `errors` for GraphQL clients [admin.graphql].
 */
class RefusedDocument extends GatewayError {
  constructor(cause: GatewayError) {
    const { code, message, data, retryAfterSeconds } = cause;
    super(code, message, {
      cause,
      ...(data && { data }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    });
  }

  override toBody() {
    const body = super.toBody();
    const { message, type } = body.error;
    return { errors: [{ message, extensions: { code: type } }], ...body };
  }
}

/**
 * Counts each operation as a request made with its key. The first one was already counted when the document arrived.
 */
function countOperation({ ports, principal, snapshot, begun }: DocumentCall): void {
  if (begun.operations++ > 0)
    ports.admissions.request(principal.key_id, snapshot.configuration.admin.requests_per_second);
}

/** Runs an operation in the same way as its REST route, with the same role, kinds, rate limit and query parameters. */
async function as(
  operation: string,
  args: Args,
  call: DocumentCall,
  params = {},
  input: JsonObject = {},
): Promise<Body> {
  const served = call.served[operation];
  if (!served) throw new Error(`no operation ${operation} answers GraphQL`);
  const { route, run } = served;
  authorize(route, call.principal);
  countOperation(call);
  const { body } = await run({ ...call, route, params, ...queryOf(args), body: () => input });
  return body as Body;
}

/** Converts arguments to query parameters, which are strings. Lists become repeated parameters. */
function queryOf(args: Args): Pick<Call, 'query' | 'repeated'> {
  const given = Object.entries(args).filter(([, value]) => value !== null && value !== undefined);
  const lists = given.filter(([, value]) => Array.isArray(value));
  return {
    query: Object.fromEntries(given.map(([name, value]) => [name, String(Array.isArray(value) ? value[0] : value)])),
    repeated: Object.fromEntries(lists.map(([name, value]) => [name, (value as unknown[]).map(String)])),
  };
}

const pageInfo = ({ cursor }: Body) => ({ has_next_page: cursor !== undefined, end_cursor: cursor });

function usageBody(body: Body): Body {
  const { input, output } = body.tokens as { input: number; output: number };
  const counted = ['decisions', 'protocols', 'tools', 'blocked_by_rule', 'decided_by_rule', 'outcomes'];
  return {
    ...body,
    ...Object.fromEntries(counted.map((member) => [member, countsOf(body[member])])),
    input_tokens: input,
    output_tokens: output,
  };
}

function seriesOf({ summary, ...body }: Body): Body {
  const nodes = Object.entries(summary as Record<string, unknown[]>).map(([dimension, buckets]) => ({
    dimension,
    buckets,
  }));
  return { ...body, nodes, page_info: pageInfo({}) };
}

/** Reduces guards to the graph's single type. Catalog guards show the reason given in their first entry. */
function policiesOf({ guards, ...body }: Body): Body {
  const named = (guards as readonly (CatalogGuard | ToolGuard)[]).map((guard) =>
    typeof guard === 'string' ? { name: guard, reason: catalogGuard(guard)[0]!.reason } : guard,
  );
  return { ...body, guards: named };
}
