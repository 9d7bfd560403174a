import * as z from 'zod';
import { actionRequestSchema, decisionResultSchema } from '#core/contracts/envelope-schema.ts';
import { evidenceEntrySchema, sessionBundleSchema, sessionManifestSchema } from '#core/contracts/evidence.ts';
import type { Route } from '#core/contracts/route.ts';
import { taskManifestSchema } from '#core/contracts/task-manifest.ts';
import { type ErrorCode, errorKinds } from '#core/kernel/errors.ts';
import type { Contract, Endpoint } from '#core/operations/endpoint.ts';
import { routes } from '#features/routes.ts';
import packageJson from '#package' with { type: 'json' };
import answers from './answers.json' with { type: 'json' };

type Schema = Record<string, unknown>;

const errorSchema = z.object({
  error: z.looseObject({ code: z.int(), type: z.enum(Object.keys(errorKinds) as ErrorCode[]), message: z.string() }),
});
const messagesErrorSchema = z.object({
  type: z.literal('error'),
  error: z.looseObject({ type: z.string(), message: z.string() }),
});

/** Named schemas of the documents; all others are inlined. */
const components = {
  ActionRequest: actionRequestSchema,
  DecisionResult: decisionResultSchema,
  TaskManifest: taskManifestSchema,
  EvidenceEntry: evidenceEntrySchema,
  SessionManifest: sessionManifestSchema,
  SessionBundle: sessionBundleSchema,
  Error: errorSchema,
  MessagesError: messagesErrorSchema,
} as const;
const ref = (name: keyof typeof components): Schema => ({ $ref: `#/components/schemas/${name}` });
const componentNames = new Map<unknown, keyof typeof components>(
  Object.entries(components).map(([name, schema]) => [schema, name as keyof typeof components]),
);

/** Responses of a running gateway, one per operation, written by `npm run examples`. */
const examples: Readonly<Record<string, unknown>> = answers;

const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Schema => {
  const name = componentNames.get(schema);
  return name ? ref(name) : inlineSchema(schema, io);
};

/** Returns one document per address: one for agents, and one for people and chat systems. MCP describes itself. */
export const openApi = (): Schema =>
  documentOf('admin surface', ({ surface }) => surface === 'admin' || surface === 'callbacks');
export const gatewayOpenApi = (): Schema => documentOf('gateway surface', ({ surface }) => surface === 'gateway');

function documentOf(title: string, belongs: (route: Endpoint) => boolean): Schema {
  const paths: Record<string, Record<string, Schema>> = {};
  for (const route of sortByPath(routes.filter(belongs))) {
    paths[route.path] ??= {};
    paths[route.path]![route.method.toLowerCase()] = operationOf(route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: `Agent Governance Gateway: ${title}`,
      version: packageJson.version,
      license: { name: packageJson.license, identifier: packageJson.license },
    },
    paths,
    components: {
      schemas: usedIn(paths),
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
    },
  };
}

/** Sorts by path, so that an endpoint keeps its position wherever it is defined. */
export const sortByPath = (list: readonly Endpoint[]): readonly Endpoint[] =>
  list.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));

/** Returns the named schemas that a document references. */
function usedIn(paths: Schema): Schema {
  const text = JSON.stringify(paths);
  const used = Object.entries(components).filter(([name]) => text.includes(`#/components/schemas/${name}"`));
  return Object.fromEntries(used.map(([name, schema]) => [name, inlineSchema(schema)]));
}

const options = { reused: 'inline', unrepresentable: 'any' } as const;
/** Zod's schema for any JSON value, the only recursive schema. */
const anyJson = JSON.stringify(z.toJSONSchema(z.object({ any: z.json() }), options).$defs);

/** Returns an inline schema. Responses allow unknown members, because later releases may add some. */
function inlineSchema(schema: z.ZodType, io: 'input' | 'output' = 'input'): Schema {
  const { $schema: _, $defs, ...rest } = z.toJSONSchema(schema, { io, ...options });
  if ($defs && JSON.stringify($defs) !== anyJson)
    throw new Error(
      'A schema of an operation holds itself, and its $ref would lead nowhere in OpenAPI. Give it a name in components.',
    );
  return rewriteSchema(rest, io) as Schema;
}

function rewriteSchema(node: unknown, io: 'input' | 'output'): unknown {
  if (Array.isArray(node)) return node.map((member) => rewriteSchema(member, io));
  if (node === null || typeof node !== 'object') return node;
  if ('$ref' in node) return { description: 'Any JSON value.' };
  const members = Object.entries(node).filter(
    ([name, value]) => io === 'input' || name !== 'additionalProperties' || value !== false,
  );
  return Object.fromEntries(members.map(([name, value]) => [name, rewriteSchema(value, io)]));
}

const eventStream: Schema = {
  'text/event-stream': { schema: { type: 'string', description: 'When `stream` is true.' } },
};

const querySchema = ({ repeatable }: Route, name: string): Schema =>
  repeatable?.includes(name) ? { type: 'array', items: { type: 'string' } } : { type: 'string' };

function operationOf(route: Endpoint): Schema {
  const twice = routes.filter(({ operation }) => operation === route.operation).length > 1 && route.method !== 'GET';
  const error = ref(route.errors === 'messages' ? 'MessagesError' : 'Error');
  const parameters = [
    ...[...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...(route.query ?? []).map((name) => ({ name, in: 'query', schema: querySchema(route, name) })),
  ];
  return {
    operationId: route.operation + (twice ? route.method[0] + route.method.slice(1).toLowerCase() : ''),
    summary: route.summary,
    description: callersOf(route),
    tags: [route.handledBy],
    security: route.access === 'open' || route.access === 'signed' ? [] : [{ key: [] }, { bearer: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(route.input && { requestBody: requestOf(route, route.input()) }),
    responses: {
      [route.status ?? 200]: { description: 'Done', content: answerOf(route.operation, route) },
      ...(route.also && { [route.also.status]: { description: route.also.description } }),
      default: { description: 'Refused; see errors.md', content: { 'application/json': { schema: error } } },
    },
  };
}

function requestOf({ inputType = 'application/json', example }: Contract, input: z.ZodType): Schema {
  return { required: true, content: { [inputType]: { schema: schemaOf(input, 'input'), example } } };
}

function answerOf(operation: string, { output, streams, answer: given }: Contract): Schema {
  if (output === 'mcp') throw new Error(`${operation} is described by MCP, not by OpenAPI`);
  const found = Object.hasOwn(examples, operation) ? examples[operation] : given;
  const example = found !== undefined && { example: found };
  if ('bytes' in output) return { [output.bytes]: { schema: { type: 'string', format: 'binary' } } };
  if ('text' in output) return { [output.text]: { schema: { type: 'string' }, ...example } };
  return { 'application/json': { schema: schemaOf(output(), 'output'), ...example }, ...(streams && eventStream) };
}

function callersOf({ access, agents, humansOnly, platform }: Route): string {
  if (access === 'open') return 'Open to all callers.';
  if (access === 'signed') return 'The caller proves itself by a signature over the body.';
  if (access === 'plane') return 'Only for the token of a data plane, which speaks for its own plane.';
  const kinds = {
    yes: 'Agent keys may call it.',
    own: 'Agent keys see what belongs to their own sessions.',
    no: 'Not for agent keys.',
  };
  return [
    `Role ${access} or above.`,
    humansOnly ? 'Only for keys of humans.' : kinds[agents],
    ...(platform ? ['Needs the admin token or a key marked platform.'] : []),
  ].join(' ');
}
