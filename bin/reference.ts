/**
 * Writes docs/reference from the code, so that it cannot tell something else: `npm run docs`. With `--check` it writes
 * nothing and exits 1 when a file differs.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { denialStandsSeconds, leaseSeconds } from '#core/approvals/approval.ts';
import { configurationJsonSchema } from '#core/configuration/json-schema.ts';
import { maxYamlBytes } from '#core/configuration/yaml.ts';
import { configurationSchema } from '#core/contracts/config.ts';
import { actionRequestSchema, decisionResultSchema, sessionPattern, sizes } from '#core/contracts/envelope.ts';
import { evidenceEntrySchema, sessionBundleSchema, sessionManifestSchema } from '#core/contracts/evidence.ts';
import { type FunctionSpec, functions } from '#core/contracts/functions.ts';
import { type Route, routes } from '#core/contracts/routes.ts';
import { type TableSpec, tables } from '#core/contracts/tables.ts';
import { toolPackSchema } from '#core/contracts/tool-policy.ts';
import { type ErrorCode, errorKinds, rpcCodes } from '#core/kernel/errors.ts';
import { maxNesting } from '#core/kernel/json.ts';
import { defaultStateBudget } from '#core/tool-policy/analyse.ts';
import packageJson from '#package' with { type: 'json' };
import { main as agentctl } from './agentctl/program.ts';

const here = fileURLToPath(import.meta.url);
const folder = join(dirname(here), '../docs/reference');

/** Every file of docs/reference: name → content. */
export async function reference(): Promise<Record<string, string>> {
  return {
    'openapi.json': json(openApi()),
    'gateway.schema.json': json(configurationJsonSchema()),
    'pack.schema.json': json(z.toJSONSchema(toolPackSchema, { target: 'draft-7', io: 'input', reused: 'inline' })),
    'configuration.md': configurationPage(),
    'errors.md': errorsPage(),
    'limits.md': limitsPage(),
    'tables.md': tablesPage(),
    'functions.md': functionsPage(),
    'cli.md': await cliPage(),
  };
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
const origin = (source: string) => `_Generated from ${source} by \`npm run docs\`; do not edit._\n`;
const cell = (value: unknown) => String(value).replaceAll('|', '\\|').replaceAll('\n', ' ');
const row = (...cells: unknown[]) => `| ${cells.map(cell).join(' | ')} |\n`;
const table = (head: readonly string[], rows: readonly (readonly unknown[])[]) =>
  row(...head) + row(...head.map(() => '---')) + rows.map((cells) => row(...cells)).join('');
const code = (text: unknown) => `\`${text}\``;
const codes = (list: readonly string[]) => list.map(code).join(', ');

// OpenAPI

type Schema = Record<string, unknown>;

const voteSchema = z.strictObject({
  reviewer: z.string().min(1).max(256).describe('Recorded beside the authenticated person, never instead of them.'),
  comment: z.string().max(4096).optional(),
});
const simulateSchema = z.strictObject({
  calls: z
    .array(actionRequestSchema.pick({ protocol: true, tool: true, target: true, capability: true, parameters: true }))
    .min(1)
    .max(1000),
  version: z.int().positive().optional(),
});
const errorSchema = z.object({
  error: z.looseObject({ code: z.int(), type: z.enum(Object.keys(errorKinds) as ErrorCode[]), message: z.string() }),
});

const components = {
  ActionRequest: actionRequestSchema,
  DecisionResult: decisionResultSchema,
  Vote: voteSchema,
  Simulation: simulateSchema,
  EvidenceEntry: evidenceEntrySchema,
  SessionManifest: sessionManifestSchema,
  SessionBundle: sessionBundleSchema,
  Error: errorSchema,
} as const;
const ref = (name: keyof typeof components): Schema => ({ $ref: `#/components/schemas/${name}` });

const requestBodies: Readonly<Record<string, { readonly type: string; readonly schema: Schema }>> = {
  testAction: { type: 'application/json', schema: ref('ActionRequest') },
  approve: { type: 'application/json', schema: ref('Vote') },
  deny: { type: 'application/json', schema: ref('Vote') },
  simulate: { type: 'application/json', schema: ref('Simulation') },
  putConfig: { type: 'application/yaml', schema: { type: 'string', description: 'See gateway.schema.json.' } },
  slackCallback: { type: 'application/x-www-form-urlencoded', schema: { type: 'object' } },
};
const answers: Readonly<Record<string, { readonly type: string; readonly schema: Schema }>> = {
  testAction: { type: 'application/json', schema: ref('DecisionResult') },
  exportSession: { type: 'application/json', schema: ref('SessionBundle') },
  metrics: { type: 'text/plain', schema: { type: 'string' } },
  markdownReport: { type: 'text/markdown', schema: { type: 'string' } },
  htmlReport: { type: 'text/html', schema: { type: 'string' } },
};

function openApi(): Schema {
  const paths: Record<string, Record<string, Schema>> = {};
  for (const route of routes) {
    paths[route.path] ??= {};
    paths[route.path]![route.method.toLowerCase()] = operationOf(route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Agent Governance Gateway: admin surface',
      version: packageJson.version,
      license: { name: packageJson.license, identifier: packageJson.license },
    },
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(components).map(([name, schema]) => [name, bare(schema)])),
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
    },
  };
}

function bare(schema: z.ZodType): Schema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', reused: 'inline', unrepresentable: 'any' });
  return rest;
}

function operationOf(route: Route): Schema {
  const twice = routes.filter(({ operation }) => operation === route.operation).length > 1 && route.method !== 'GET';
  const body = requestBodies[route.operation];
  const answer = answers[route.operation] ?? { type: 'application/json', schema: { type: 'object' } };
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
      '200': { description: 'Done', content: { [answer.type]: { schema: answer.schema } } },
      default: { description: 'Refused; see errors.md', content: { 'application/json': { schema: ref('Error') } } },
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

// Errors

const meanings: Readonly<Record<ErrorCode, string>> = {
  invalid_request: 'The request cannot be understood; the message says what was found and what is allowed.',
  authentication_error: 'No key, an unknown key, or a revoked one.',
  forbidden: "The key's role, kind, tenant or session does not allow this.",
  separation_of_duties: 'Nobody votes on a request made with a key that is theirs or that they own.',
  policy_violation: 'A content policy blocked the text.',
  session_blocked: 'The kill switch has stopped this session.',
  model_not_allowed: 'The tenant may not use this model.',
  not_found: "There is no such thing, or it is another tenant's.",
  model_not_found: 'No route serves this model.',
  method_not_allowed: 'The path exists, the method does not.',
  conflict: 'Somebody was first; the record as it stands is in `error.record` where there is one.',
  payload_too_large: 'The body is larger than this route takes.',
  unsupported_media_type: 'The Content-Type is not one this route takes.',
  rate_limit_error: 'Too many requests or tokens in the window.',
  budget_exceeded: 'The budget is spent.',
  server_error: 'A fault of the gateway; the log has the detail under the request id.',
  provider_error: 'The provider or tool behind the gateway failed.',
  service_unavailable: 'A store, limiter or broker is not available: refused, nothing was done.',
  provider_timeout: 'The provider did not answer in time.',
};

const rpcMeanings: Readonly<Record<keyof typeof rpcCodes, string>> = {
  parse: 'the text is not JSON',
  invalidRequest: 'not a JSON-RPC request',
  unknownMethod: 'no such method',
  invalidParams: 'the parameters are not valid',
  internal: 'a fault of the gateway',
  upstreamFailed: 'the tool failed; the message names tool and upstream',
  block: 'the policy blocks the call; `data.reason`, `data.suggested_alternative`',
  approvalRequired:
    'a human has to approve; `data.approval_url`, `data.queued_at`, and `data.reason` when an approval at hand did not do',
  noUpstream: 'no upstream serves the tool',
};

function errorsPage(): string {
  const rows = Object.entries(errorKinds).map(([type, { status, rpc, retryable, shown }]) => [
    status,
    code(type),
    rpc,
    retryable ? 'yes' : 'no',
    shown ? 'as written' : 'a general sentence',
    meanings[type as ErrorCode],
  ]);
  const rpc = Object.entries(rpcCodes).map(([name, number]) => [number, rpcMeanings[name as keyof typeof rpcCodes]]);
  return `# Errors

${origin('`core/kernel/errors.ts`')}
Every HTTP error is \`{ "error": { "code": <status>, "type": <type>, "message": <text> } }\`, some with further members.
A message says what was found and what is allowed. Replies carry \`X-Request-ID\`; the log names it.

${table(['status', 'type', 'JSON-RPC', 'worth a retry', 'message shown', 'when'], rows)}
## JSON-RPC codes of tool actions

A decision is no HTTP error: \`POST /admin/v1/test-action\` answers 200 and carries one of these in \`error.code\`.

${table(['code', 'meaning'], rpc)}`;
}

// Configuration

interface Node {
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly additionalProperties?: Node | boolean;
  readonly anyOf?: readonly Node[];
  readonly oneOf?: readonly Node[];
  readonly required?: readonly string[];
}

function configurationPage(): string {
  const rows: unknown[][] = [];
  walk(configurationJsonSchema() as Node, '', rows);
  return `# Configuration

${origin('`core/contracts/config.ts`')}
One YAML file, \`config/gateway.yaml\`. The JSON Schema is [gateway.schema.json](gateway.schema.json); name it in the
file's first line (\`# yaml-language-server: $schema=../docs/reference/gateway.schema.json\`) and editors complete the keys.
Unknown keys and wrong values fail the load, with their place in the file. \`[]\` stands for each element of a list,
\`*\` for any name.

${table(['key', 'takes', 'default', ''], rows)}`;
}

function walk(node: Node, path: string, rows: unknown[][]): void {
  for (const [name, child] of Object.entries(node.properties ?? {})) {
    const key = path === '' ? name : `${path}.${name}`;
    const needed = node.required?.includes(name) ? 'required' : '';
    rows.push([
      code(key),
      typeOf(child),
      child.default === undefined ? needed : code(defaultOf(child)),
      child.description ?? '',
    ]);
    descend(child, key, rows);
  }
}

function descend(node: Node, path: string, rows: unknown[][]): void {
  if (node.properties) walk(node, path, rows);
  if (node.items) descend(node.items, `${path}[]`, rows);
  if (typeof node.additionalProperties === 'object') descend(node.additionalProperties, `${path}.*`, rows);
  for (const variant of node.anyOf ?? node.oneOf ?? []) {
    const kind = variant.properties?.type?.const;
    descend(variant, kind === undefined ? path : `${path}(${kind})`, rows);
  }
}

function defaultOf({ default: value }: Node): string {
  return value !== null && typeof value === 'object' && Object.keys(value).length === 0
    ? Array.isArray(value)
      ? '[]'
      : '{}'
    : JSON.stringify(value);
}

function typeOf(node: Node): string {
  if (node.const !== undefined) return code(JSON.stringify(node.const));
  if (node.enum) return node.enum.map((value) => code(value)).join(', ');
  if (node.anyOf ?? node.oneOf) return [...new Set((node.anyOf ?? node.oneOf)!.map(typeOf))].join(' or ');
  if (node.items) return `list of ${typeOf(node.items)}`;
  return [node.type ?? 'anything'].flat().join(' or ');
}

// Limits

function limitsPage(): string {
  const defaults = configurationSchema.parse({ version: 1, tenants: [{ id: 'default', api_keys: ['k'] }] });
  const { approvals, server, manifests, behavior } = defaults;
  const rows = [
    ['an action (request body)', `${sizes.envelopeBytes} bytes`, '413, -32602'],
    ['`target`', `${sizes.targetBytes} bytes`, '400'],
    [
      '`protocol`, `tool`, `capability`, `actor.agent`',
      `1 to ${sizes.nameCharacters} characters, no control characters`,
      '400',
    ],
    ['`justification`', `${sizes.justificationCharacters} characters`, '400'],
    ['a session id', code(sessionPattern.source), '400'],
    ['nesting of a body', `${maxNesting} levels`, '400'],
    [
      'a request body of the gateway',
      `${server.max_body_bytes} bytes unless \`server.max_body_bytes\` says otherwise`,
      '413',
    ],
    ['a configuration', `${maxYamlBytes} bytes`, '400'],
    [
      'time to decide an approval',
      `${approvals.timeout_seconds} s unless \`approvals.timeout_seconds\` or the rule says otherwise`,
      'denied by system',
    ],
    ['time to use an approval', 'the same again, from the decision on', 'review, `expired`'],
    ['a denial answers the identical call', `${denialStandsSeconds} s`, 'then a new request'],
    ['the lease on an executing approval', `${leaseSeconds} s`, 'outcome `unknown`'],
    ['holding a call (`approvals.hold_seconds`)', '0 to 50 s', 'then review'],
    ['policy versions kept', '20', 'older ones are dropped'],
    ['policy analysis', `${defaultStateBudget} automaton states`, 'warning «not analysed»'],
    ['a credential', '600 s unless the grant says otherwise, 3600 s at most', 'expired'],
    ['a page of a list', '1 to 200 items, 50 unless `limit` says otherwise', '400'],
    ['manifest enforcement', code(manifests.enforcement_mode), ''],
    ['session risk that stops a session', behavior.kill_switch_score, '403'],
  ];
  return `# Limits

${origin('the constants and defaults of the code')}
${table(['of what', 'limit', 'beyond it'], rows)}`;
}

// Tables and functions

function tablesPage(): string {
  const rows = Object.entries<TableSpec>(tables).map(([name, spec]) => [
    code(name),
    spec.holds,
    code(spec.partitionKey) + (spec.sortKey ? ` + ${code(spec.sortKey)}` : ''),
    (spec.indexes ?? [])
      .map(
        (index) =>
          `${code(index.name)}: ${codes([index.partitionKey, ...(index.sortKey ? [index.sortKey] : [])])} (${index.projection})`,
      )
      .join('; '),
    spec.ttl ? code(spec.ttl) : '',
    spec.stream ?? '',
  ]);
  return `# Tables

${origin('`core/contracts/tables.ts`')}
On demand, point-in-time recovery, encrypted; every key is a string. TTL only tidies up: a time that matters is compared.

${table(['table', 'holds', 'key', 'indexes', 'TTL', 'stream'], rows)}`;
}

function functionsPage(): string {
  const rights = (spec: FunctionSpec) => [
    ...(spec.startsApprovals ? ['starts approval clocks'] : []),
    ...(spec.settlesTasks ? ['releases task tokens'] : []),
    ...(spec.signs ? ['signs manifests'] : []),
    ...(spec.verifiesSignatures ? ['verifies signatures'] : []),
    ...(spec.archives ? ['writes the archive'] : []),
    ...(spec.objects ? [`objects: ${spec.objects}`] : []),
    ...(spec.secrets?.length ? [`secrets: ${spec.secrets.join(', ')}`] : []),
  ];
  const runs = (name: string, spec: FunctionSpec) => [
    ...routes.filter(({ handledBy }) => handledBy === name).map(({ method, path }) => code(`${method} ${path}`)),
    ...(spec.schedule ? [`every ${spec.schedule.everyMinutes} min`] : []),
    ...(spec.stream ? [`stream of ${spec.stream}`] : []),
    ...(name === 'approval-steps' ? ['the approval state machine'] : []),
  ];
  const rows = Object.entries<FunctionSpec>(functions).map(([name, spec]) => [
    code(name),
    spec.purpose,
    runs(name, spec).join('<br>'),
    Object.entries(spec.tables)
      .map(([of, access]) => `${of}: ${access}`)
      .join('<br>'),
    rights(spec).join('<br>'),
    `${spec.timeoutSeconds} s, ${spec.memoryMb} MB`,
  ]);
  return `# Functions

${origin('`core/contracts/functions.ts` and `core/contracts/routes.ts`')}
One role each, with exactly these rights. \`append\` = put and condition check, never update or delete; \`write\` = put and
update; reading is implied.

${table(['function', 'purpose', 'runs on', 'tables', 'further rights', 'size'], rows)}`;
}

// CLI

async function cliPage(): Promise<string> {
  const pages: string[] = [];
  await describe([], pages);
  return `# agentctl

${origin('`agentctl --help`')}
${pages.join('\n')}`;
}

/** The options every command takes: shown once, at the top. */
const everywhere = /^Options of every command:\n(?: .*\n)+\n?/m;

async function describe(words: readonly string[], pages: string[]): Promise<void> {
  const full = await printed([...words, '--help']);
  const help = words.length === 0 ? full : full.replace(everywhere, '');
  pages.push(
    `${'#'.repeat(words.length + 2)} ${['agentctl', ...words].join(' ')}\n\n\`\`\`text\n${help.trim()}\n\`\`\`\n`,
  );
  for (const name of subcommands(help)) await describe([...words, name], pages);
}

/** Names in the `Commands:` list of a help text; a summary that wraps is indented deeper. */
function subcommands(help: string): string[] {
  const list = help.split(/^Commands:\n/m)[1]?.split(/\n\n/)[0] ?? '';
  return [...list.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name]) => name!).filter((name) => name !== 'help');
}

/** What a command line prints, at the width of a page. */
async function printed(argv: readonly string[]): Promise<string> {
  const { stdout } = process;
  const { write, isTTY } = stdout;
  let text = '';
  stdout.setMaxListeners(0);
  process.stderr.setMaxListeners(0);
  stdout.isTTY = false;
  stdout.write = ((chunk: string | Uint8Array) => {
    text += String(chunk);
    return true;
  }) as typeof stdout.write;
  try {
    await agentctl(argv);
  } finally {
    stdout.write = write;
    stdout.isTTY = isTTY;
  }
  return text.replaceAll(/[ \t]+$/gm, '');
}

/** Names of the files that differ from what is generated. */
export async function stale(): Promise<string[]> {
  const generated = await reference();
  return Object.keys(generated).filter((name) => generated[name] !== onDisk(name));
}

function onDisk(name: string): string | undefined {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch {
    return undefined;
  }
}

async function run(): Promise<void> {
  if (!process.argv.includes('--check')) {
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of Object.entries(await reference())) writeFileSync(join(folder, name), text);
    return;
  }
  const old = await stale();
  if (old.length > 0) console.error(`docs/reference is out of date (${old.join(', ')}); run npm run docs`);
  process.exitCode = old.length > 0 ? 1 : 0;
}

// No top-level await: the tests load this file as CommonJS.
if (process.argv[1] === here) void run();
