import * as z from 'zod';
import { redeemSchema, releaseSchema, simulateSchema, voteSchema } from '#core/contracts/admin-requests.ts';
import { actionRequestSchema, decisionResultSchema } from '#core/contracts/envelope.ts';
import { evidenceEntrySchema, sessionBundleSchema, sessionManifestSchema } from '#core/contracts/evidence.ts';
import { type Route, routes } from '#core/contracts/routes.ts';
import { taskManifestSchema } from '#core/contracts/task-manifest.ts';
import { type ErrorCode, errorKinds } from '#core/kernel/errors.ts';
import packageJson from '#package' with { type: 'json' };

type Schema = Record<string, unknown>;

const errorSchema = z.object({
  error: z.looseObject({ code: z.int(), type: z.enum(Object.keys(errorKinds) as ErrorCode[]), message: z.string() }),
});

/** Fields nobody names here pass through untouched, both ways. */
const chatRequestSchema = z.looseObject({
  model: z.string().min(1),
  messages: z.array(z.looseObject({ role: z.string() })).min(1),
  stream: z.boolean().optional(),
});
const chatComponents = {
  ChatRequest: chatRequestSchema,
  MessagesError: z.object({
    type: z.literal('error'),
    error: z.looseObject({ type: z.string(), message: z.string() }),
  }),
} as const;

const components = {
  ActionRequest: actionRequestSchema,
  DecisionResult: decisionResultSchema,
  Vote: voteSchema,
  Simulation: simulateSchema,
  Release: releaseSchema,
  Redemption: redeemSchema,
  TaskManifest: taskManifestSchema,
  EvidenceEntry: evidenceEntrySchema,
  SessionManifest: sessionManifestSchema,
  SessionBundle: sessionBundleSchema,
  Error: errorSchema,
  ...chatComponents,
} as const;
const ref = (name: keyof typeof components): Schema => ({ $ref: `#/components/schemas/${name}` });

const requestBodies: Readonly<Record<string, { readonly type: string; readonly schema: Schema }>> = {
  testAction: { type: 'application/json', schema: ref('ActionRequest') },
  approve: { type: 'application/json', schema: ref('Vote') },
  deny: { type: 'application/json', schema: ref('Vote') },
  simulate: { type: 'application/json', schema: ref('Simulation') },
  releaseSession: { type: 'application/json', schema: ref('Release') },
  redeemTicket: { type: 'application/json', schema: ref('Redemption') },
  createManifest: { type: 'application/json', schema: ref('TaskManifest') },
  putConfig: { type: 'application/yaml', schema: { type: 'string', description: 'See gateway.schema.json.' } },
  chatCompletions: { type: 'application/json', schema: ref('ChatRequest') },
  messages: { type: 'application/json', schema: ref('ChatRequest') },
  countTokens: { type: 'application/json', schema: ref('ChatRequest') },
  githubCallback: { type: 'application/json', schema: { type: 'object' } },
  slackCallback: { type: 'application/x-www-form-urlencoded', schema: { type: 'object' } },
};
const answers: Readonly<Record<string, { readonly type: string; readonly schema: Schema }>> = {
  testAction: { type: 'application/json', schema: ref('DecisionResult') },
  exportSession: { type: 'application/json', schema: ref('SessionBundle') },
  metrics: { type: 'text/plain', schema: { type: 'string' } },
  markdownReport: { type: 'text/markdown', schema: { type: 'string' } },
  htmlReport: { type: 'text/html', schema: { type: 'string' } },
};

const streamed: Schema = { 'text/event-stream': { schema: { type: 'string', description: 'When `stream` is true.' } } };
/** Answers besides 200, by operation. */
const furtherAnswers: Readonly<Record<string, Schema>> = {
  chatCompletions: { '202': { description: 'A person has to approve; retry with X-Approval-Ref' } },
  messages: { '202': { description: 'A person has to approve; retry with X-Approval-Ref' } },
};

/** One document for each address: what agents call, and what people and chat systems call. MCP describes itself. */
export const openApi = (): Schema =>
  documentOf('admin surface', ({ surface }) => surface === 'admin' || surface === 'callbacks');
export const gatewayOpenApi = (): Schema => documentOf('gateway surface', ({ surface }) => surface === 'gateway');

function documentOf(title: string, belongs: (route: Route) => boolean): Schema {
  const paths: Record<string, Record<string, Schema>> = {};
  for (const route of routes.filter(belongs)) {
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

/** The named schemas a document mentions. */
function usedIn(paths: Schema): Schema {
  const text = JSON.stringify(paths);
  const used = Object.entries(components).filter(([name]) => text.includes(`#/components/schemas/${name}"`));
  return Object.fromEntries(used.map(([name, schema]) => [name, bare(schema)]));
}

function bare(schema: z.ZodType): Schema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', reused: 'inline', unrepresentable: 'any' });
  return rest;
}

function operationOf(route: Route): Schema {
  const twice = routes.filter(({ operation }) => operation === route.operation).length > 1 && route.method !== 'GET';
  const body = requestBodies[route.operation];
  const answer = answers[route.operation] ?? { type: 'application/json', schema: { type: 'object' } };
  const streams = ['chatCompletions', 'messages'].includes(route.operation);
  const error = ref(['messages', 'countTokens'].includes(route.operation) ? 'MessagesError' : 'Error');
  const parameters = [
    ...[...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...(route.query ?? []).map((name) => ({ name, in: 'query', schema: { type: 'string' } })),
  ];
  return {
    operationId: route.operation + (twice ? route.method[0] + route.method.slice(1).toLowerCase() : ''),
    summary: route.summary,
    description: callersOf(route),
    tags: [route.handledBy],
    security: route.access === 'open' || route.access === 'signed' ? [] : [{ key: [] }, { bearer: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: { [body.type]: { schema: body.schema } } } }),
    responses: {
      '200': { description: 'Done', content: { [answer.type]: { schema: answer.schema }, ...(streams && streamed) } },
      ...furtherAnswers[route.operation],
      default: { description: 'Refused; see errors.md', content: { 'application/json': { schema: error } } },
    },
  };
}

function callersOf({ access, agents, humansOnly, platform }: Route): string {
  if (access === 'open') return 'Open to everybody.';
  if (access === 'signed') return 'The caller proves itself by a signature over the body.';
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
