/**
 * Every HTTP route as data: method, path, who may call it, which function answers.
 * The local host, API Gateway, the CLI, OpenAPI and the role-matrix test are all derived from this table.
 */
import type { FunctionName } from './functions.ts';

export const roles = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof roles)[number];
export const keyKinds = ['agent', 'human', 'service'] as const;
export type KeyKind = (typeof keyKinds)[number];

export const includesRole = (held: Role, needed: Role): boolean => roles.indexOf(held) >= roles.indexOf(needed);

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path with `{parameters}`, relative to the surface. */
  readonly path: string;
  readonly surface: 'admin' | 'callbacks' | 'gateway' | 'mcp';
  /**
   * `open`: no credential (only /health); `signed`: the caller proves itself by a body signature; `plane`: the token of a data
   * plane, and no key.
   */
  readonly access: Role | 'open' | 'signed' | 'plane';
  /** What agent keys may do here: all, only what belongs to their own sessions, or nothing. */
  readonly agents: 'yes' | 'own' | 'no';
  /** Only humans (votes). */
  readonly humansOnly?: true;
  /** Needs the admin token or a `platform: true` key: the thing is global. */
  readonly platform?: true;
  readonly handledBy: FunctionName;
  /** A key of the table of operations, the name of the function in core/admin, and the operation id in OpenAPI. */
  readonly operation: string;
  /**
   * Whether a request counts as one of the minute of its tenant and its key before it runs [limit.requests]. Chat calls, MCP
   * messages and streams of MCP are counted by what answers them.
   */
  readonly counts?: true;
  readonly summary: string;
  readonly query?: readonly string[];
  /** Those of `query` that may be given more than once. */
  readonly repeatable?: readonly string[];
}

/** Surfaces that pages in a browser may call, where the configuration lists their origin: browsers ask first, by OPTIONS. */
export const opensToPages = (surface: Route['surface']): boolean => surface === 'gateway' || surface === 'mcp';

const adminPrefix = '/admin/v1/';
/** Endpoints of models that few callers use; one function has them all. */
const besideChat = /^\/v1\/((completions|moderations|images|audio|files|batches)(\/|$)|responses\/)/;
/** Paths below these belong to one function each. */
const proxiedFamilies: readonly string[] = [
  ...['actions', 'approvals', 'archive', 'audit', 'credentials', 'evidence', 'federation', 'manifests', 'mcp'],
  ...['passkeys', 'policy-versions', 'rollouts', 'sessions', 'supply-chain', 'tickets'],
];

/**
 * The resource that stands for a route on AWS, and for others of its function; undefined where the route has its own. The function
 * finds the route: a stack ends at 500 resources [admin.proxied-routes].
 */
export function proxyPathOf({
  surface,
  path,
  handledBy,
}: Pick<Route, 'surface' | 'path' | 'handledBy'>): string | undefined {
  if (surface === 'gateway' && besideChat.test(path)) return '/v1/{proxy+}';
  if (surface !== 'admin' || !path.startsWith(adminPrefix)) return undefined;
  if (handledBy === 'observatory') return `${adminPrefix}{proxy+}`;
  const [family = '', ...below] = path.slice(adminPrefix.length).split('/');
  return below.length > 0 && proxiedFamilies.includes(family) ? `${adminPrefix}${family}/{proxy+}` : undefined;
}

type Options = Partial<
  Pick<Route, 'agents' | 'humansOnly' | 'platform' | 'query' | 'repeatable' | 'surface' | 'counts'>
>;

const route = (
  call: `${Route['method']} /${string}`,
  handledBy: FunctionName,
  access: Route['access'],
  operation: string,
  summary: string,
  options: Options = {},
): Route => {
  const [method, path] = call.split(' ') as [Route['method'], string];
  return { method, path, surface: 'admin', access, agents: 'no', handledBy, operation, summary, ...options };
};

const a = '/admin/v1';
const paging = ['limit', 'cursor'] as const;

/** Agents call the gateway; a role that may run actions may chat. */
const gateway = { surface: 'gateway', agents: 'yes' } as const;
const counted = { ...gateway, counts: true } as const;
/** As OpenAI's clients ask for pages. */
const kept = ['purpose', 'limit', 'after', 'order'] as const;
/** Anthropic's beta clients write `?beta=true`; what counts is the header `anthropic-beta`. */
const anthropicQuery = ['beta'] as const;
const mcp = { surface: 'mcp', agents: 'yes' } as const;

export const routes: readonly Route[] = [
  route('GET /health', 'observatory', 'open', 'health', 'Health and version'),
  route('GET /metrics', 'observatory', 'viewer', 'metrics', 'Metrics in Prometheus text form'),
  route(`GET ${a}/whoami`, 'observatory', 'viewer', 'whoami', 'Role, kind and tenant of the caller', { agents: 'yes' }),
  route(
    `GET ${a}/health/detailed`,
    'observatory',
    'viewer',
    'status',
    'Stores, versions, queues, sessions, recent violations',
  ),
  route(`GET ${a}/usage`, 'observatory', 'viewer', 'usage', 'Counts per tenant, decision, tool and model', {
    query: ['from', 'to', 'path'],
  }),
  route(`GET ${a}/requests`, 'observatory', 'operator', 'listRequests', 'Chat calls, newest first', {
    query: ['model', 'outcome', 'path', ...paging],
  }),
  route(`GET ${a}/analytics`, 'observatory', 'viewer', 'analytics', 'Buckets of the last 48 hours by dimension', {
    query: ['dimension', 'from', 'to', 'step', 'path'],
    repeatable: ['dimension'],
  }),
  route(
    `GET ${a}/analytics/realtime`,
    'observatory',
    'viewer',
    'realtimeAnalytics',
    'Buckets of the last five minutes by dimension',
    { query: ['dimension', 'path'], repeatable: ['dimension'] },
  ),
  route(`GET ${a}/rollouts`, 'policies', 'operator', 'listRollouts', 'Rollouts, newest first'),
  route(
    `POST ${a}/rollouts`,
    'policies',
    'operator',
    'createRollout',
    'Move the traffic of a model to another provider',
  ),
  route(`GET ${a}/rollouts/{id}`, 'policies', 'operator', 'getRollout', 'One rollout with what both sides did'),
  route(`POST ${a}/rollouts/{id}/pause`, 'policies', 'operator', 'pauseRollout', 'Leave the traffic where it is'),
  route(
    `POST ${a}/rollouts/{id}/resume`,
    'policies',
    'operator',
    'resumeRollout',
    'Observe the stage again from now on',
  ),
  route(`POST ${a}/rollouts/{id}/rollback`, 'policies', 'operator', 'rollbackRollout', 'Give the traffic back'),
  route(`GET ${a}/alerts`, 'observatory', 'viewer', 'listAlerts', 'Alerts, newest first', { query: ['state'] }),
  route(
    `POST ${a}/alerts/{id}/acknowledge`,
    'observatory',
    'operator',
    'acknowledgeAlert',
    'Say that an alert is being looked into',
  ),
  route(`GET ${a}/tenants`, 'observatory', 'viewer', 'listTenants', 'Tenants with their limits'),
  route(
    `GET ${a}/identity/organizations`,
    'observatory',
    'viewer',
    'listOrganizations',
    'Organisations that the caller belongs to',
  ),
  route(`GET ${a}/identity/teams`, 'observatory', 'viewer', 'listTeams', 'Teams with their members'),
  route(`GET ${a}/identity/projects`, 'observatory', 'viewer', 'listProjects', 'Projects of the teams'),
  route(
    `GET ${a}/identity/environments`,
    'observatory',
    'viewer',
    'listEnvironments',
    'Environments with their tenants',
  ),
  route(
    `GET ${a}/identity/identities`,
    'observatory',
    'viewer',
    'listIdentities',
    'People and keys of the tenant, without the keys themselves',
  ),
  route(
    `GET ${a}/identity/separation-rules`,
    'observatory',
    'viewer',
    'listSeparationRules',
    'How many people decide, and who',
  ),
  route(
    `GET ${a}/cost-recommendations`,
    'observatory',
    'viewer',
    'costRecommendations',
    'Cheaper models of the same providers, what a cache would answer, requests that repeat: with the numbers they rest on',
    { query: ['from', 'to', 'path'] },
  ),
  route(
    `GET ${a}/budgets/forecast`,
    'observatory',
    'viewer',
    'budgetsForecast',
    'Where each budget will stand at its end',
    { query: ['path'] },
  ),
  route(
    `GET ${a}/supply-chain`,
    'observatory',
    'viewer',
    'supplyChain',
    'The policy pack and WASM filters in force, by digest, and what was done with plugins lately',
  ),
  route(
    `POST ${a}/supply-chain/acts`,
    'policies',
    'admin',
    'recordPluginAct',
    'Record an install, removal or refusal of a plugin as evidence',
    { platform: true },
  ),
  route(`POST ${a}/graphql`, 'observatory', 'viewer', 'graphql', 'Queries and mutations over the same operations'),
  route(`GET ${a}/traces`, 'observatory', 'operator', 'listTraces', 'The last traces, newest first', {
    query: ['session', 'model', 'tool', 'decision', 'status', 'min_ms', 'from', 'to', ...paging],
  }),
  route(`GET ${a}/traces/{id}`, 'observatory', 'operator', 'getTrace', 'One trace with its spans'),
  route(`GET ${a}/cache`, 'observatory', 'viewer', 'cacheStatistics', 'Hits, misses, hit rate, evictions'),
  route(`GET ${a}/providers`, 'observatory', 'viewer', 'listProviders', 'Providers, their health and breakers'),
  route(`GET ${a}/budgets`, 'observatory', 'viewer', 'listBudgets', 'Budgets and rate limits as they stand', {
    query: ['path'],
  }),
  route(
    `POST ${a}/observations/rebuild`,
    'observatory',
    'admin',
    'rebuildProjections',
    'Project the evidence log again, a bounded piece a call',
    { platform: true, query: ['tenant', 'cursor'] },
  ),
  route(
    `GET ${a}/archive/check`,
    'archive',
    'admin',
    'checkArchive',
    'Compare sessions with the archive, a bounded piece a call',
    { platform: true, query: ['tenant', 'session', 'cursor'] },
  ),
  route(
    `POST ${a}/archive/repair`,
    'archive',
    'admin',
    'repairArchive',
    'Archive what the check finds missing, a bounded piece a call',
    { platform: true, query: ['tenant', 'session', 'from', 'to', 'cursor'] },
  ),
  route(`GET ${a}/violations`, 'observatory', 'viewer', 'violations', 'Policy violations with breakdowns', {
    query: ['path', ...paging],
  }),

  route(`POST ${a}/test-action`, 'test-action', 'operator', 'testAction', 'Govern one action', { agents: 'yes' }),
  route(
    `POST ${a}/outcomes`,
    'test-action',
    'operator',
    'reportOutcome',
    'Record the outcome of a call that was decided only',
    { agents: 'yes' },
  ),

  route(`GET ${a}/approvals`, 'approvals', 'operator', 'listApprovals', 'Pending approvals', {
    agents: 'own',
    query: paging,
  }),
  route(`GET ${a}/approvals/history`, 'approvals', 'operator', 'approvalHistory', 'Decided approvals', {
    agents: 'own',
    query: ['status', ...paging],
  }),
  route(`GET ${a}/approvals/events`, 'approvals', 'operator', 'approvalEvents', 'What happens to approvals, as events'),
  route(`GET ${a}/approvals/{envelope_id}`, 'approvals', 'operator', 'getApproval', 'One approval item or record', {
    agents: 'own',
  }),
  route(`POST ${a}/approvals/{envelope_id}/approve`, 'approvals', 'operator', 'approve', 'Approve a pending action', {
    humansOnly: true,
  }),
  route(`POST ${a}/approvals/{envelope_id}/deny`, 'approvals', 'operator', 'deny', 'Deny a pending action', {
    humansOnly: true,
  }),

  route(`GET ${a}/passkeys`, 'approvals', 'operator', 'listPasskeys', "The caller's own passkeys", {
    humansOnly: true,
  }),
  route(`POST ${a}/passkeys`, 'approvals', 'operator', 'registerPasskey', 'Register a passkey', { humansOnly: true }),
  route(`POST ${a}/passkeys/challenge`, 'approvals', 'operator', 'passkeyChallenge', 'Begin to register a passkey', {
    humansOnly: true,
  }),
  route(`DELETE ${a}/passkeys/{id}`, 'approvals', 'operator', 'removePasskeyById', 'Remove a passkey', {
    humansOnly: true,
  }),

  route(`GET ${a}/evidence/sessions`, 'evidence', 'operator', 'listSessions', 'Sessions with evidence', {
    agents: 'own',
    query: ['path', ...paging],
  }),
  route(`GET ${a}/evidence/sessions/{id}/export`, 'evidence', 'operator', 'exportSession', 'Session bundle', {
    agents: 'own',
  }),
  route(`GET ${a}/evidence/sessions/{id}/verify`, 'evidence', 'operator', 'verifySession', 'Verify a session chain', {
    agents: 'own',
    query: ['entries'],
  }),
  route(`POST ${a}/evidence/sessions/{id}/verify`, 'evidence', 'operator', 'verifySession', 'Verify a session chain', {
    agents: 'own',
    query: ['entries'],
  }),
  route(`GET ${a}/evidence/sessions/{id}/report`, 'evidence', 'operator', 'markdownReport', 'Markdown session report', {
    agents: 'own',
  }),
  route(`GET ${a}/evidence/sessions/{id}/report.html`, 'evidence', 'operator', 'htmlReport', 'HTML session report', {
    agents: 'own',
  }),
  route(`GET ${a}/evidence/keys`, 'evidence', 'operator', 'signingKeys', 'Public keys that evidence is signed with'),
  route(
    `GET ${a}/evidence/log/checkpoint`,
    'evidence',
    'viewer',
    'logCheckpoint',
    'Checkpoint of the transparency log',
  ),
  route(`GET ${a}/evidence/log/consistency`, 'evidence', 'viewer', 'logConsistency', 'Proof that the log only grew', {
    query: ['from', 'to'],
  }),
  route(`GET ${a}/evidence/log/tile`, 'evidence', 'viewer', 'logTile', 'Hashes or leaves of the log', {
    query: ['path'],
  }),
  route(
    `POST ${a}/evidence/log/cosignatures`,
    'evidence',
    'viewer',
    'addCosignature',
    'Hand in the cosignature of a witness',
  ),
  route(`GET ${a}/audit`, 'evidence', 'operator', 'audit', 'Query the audit log', {
    query: ['actor', 'kind', 'session', 'tool', 'decision', 'from', 'to', 'path', ...paging],
  }),
  route(`GET ${a}/audit/verify`, 'evidence', 'admin', 'verifyAudit', "Verify a tenant's chains", { query: paging }),
  route(`POST ${a}/audit/verify`, 'evidence', 'admin', 'verifyAudit', "Verify a tenant's chains", { query: paging }),
  route(
    `GET ${a}/audit/in-force`,
    'evidence',
    'admin',
    'compareInForce',
    'Compare the configuration, keys, budgets and risk in force with evidence',
    { platform: true },
  ),

  route(`GET ${a}/config`, 'policies', 'admin', 'getConfig', 'The configuration in force, without secrets', {
    platform: true,
  }),
  route(`PUT ${a}/config`, 'policies', 'admin', 'putConfig', 'Store a configuration as a new policy version', {
    platform: true,
    query: ['reason', 'file'],
  }),
  route(
    `PUT ${a}/supply-chain/modules/{sha256}`,
    'policies',
    'admin',
    'putModule',
    'Store a WASM module that a configuration may name by its digest',
    { platform: true },
  ),
  route(
    `POST ${a}/config/refresh-keys`,
    'policies',
    'admin',
    'refreshConfigKeys',
    'Look up again the keys that lie in secrets',
    { platform: true },
  ),
  route(`GET ${a}/policies`, 'policies', 'viewer', 'listPolicies', 'Tool rules in force, in order'),
  route(`GET ${a}/policy-versions`, 'policies', 'viewer', 'policyVersions', 'The last 20 versions'),
  route(`GET ${a}/policy-versions/current`, 'policies', 'viewer', 'currentPolicyVersion', 'The version in force'),
  route(`GET ${a}/policy-versions/{version}`, 'policies', 'operator', 'policyVersion', 'One version with its content'),
  route(
    `GET ${a}/policy-versions/{version}/diff`,
    'policies',
    'operator',
    'policyDiff',
    'Calls whose decision differs, lifted guards and changed keys',
    { query: ['against'] },
  ),
  route(
    `POST ${a}/policy-versions/{version}/rollback`,
    'policies',
    'admin',
    'policyRollback',
    'Write a new version with this content',
    { platform: true },
  ),
  route(
    `POST ${a}/simulate`,
    'policies',
    'operator',
    'simulate',
    'Evaluate calls against a policy, recording nothing',
    { agents: 'yes' },
  ),
  route(
    `GET ${a}/actions/{envelope_id}/why`,
    'policies',
    'operator',
    'why',
    'Which rule decided, and where each other failed',
    { agents: 'own' },
  ),

  route(
    `GET ${a}/mcp/tools`,
    'policies',
    'viewer',
    'listMcpTools',
    'MCP tool definitions seen, and which have changed',
  ),
  route(
    `GET ${a}/mcp/tools/{name}`,
    'policies',
    'viewer',
    'showMcpTool',
    'One MCP tool: its accepted and its offered definition, and what the later one adds',
    { query: ['upstream'] },
  ),
  route(`POST ${a}/mcp/tools/{name}/accept`, 'policies', 'operator', 'acceptMcpTool', 'Accept a changed definition', {
    humansOnly: true,
    query: ['upstream', 'fingerprint'],
  }),

  route(`GET ${a}/manifests`, 'policies', 'operator', 'listManifests', 'Task manifests, newest first', {
    agents: 'own',
    query: paging,
  }),
  route(`POST ${a}/manifests`, 'policies', 'operator', 'createManifest', 'Declare a task'),
  route(`GET ${a}/manifests/{id}`, 'policies', 'operator', 'getManifest', 'One task manifest', { agents: 'own' }),
  route(`DELETE ${a}/manifests/{id}`, 'policies', 'operator', 'deleteManifest', 'Detach and forget a task manifest'),
  route(`GET ${a}/manifests/{id}/drift`, 'policies', 'operator', 'manifestDrift', "Drift over a session's history", {
    agents: 'own',
    query: ['session'],
  }),
  route(`GET ${a}/sessions/{id}/risk`, 'policies', 'operator', 'sessionRisk', 'Risk score and alerts of a session', {
    agents: 'own',
    query: ['replay'],
  }),
  route(
    `POST ${a}/sessions/{id}/release`,
    'policies',
    'admin',
    'releaseSession',
    'Release a blocked session and its key',
    {
      humansOnly: true,
    },
  ),

  route(`GET ${a}/credentials`, 'credentials', 'operator', 'listCredentials', 'Active credentials', { query: paging }),
  route(`POST ${a}/credentials/{id}/revoke`, 'credentials', 'operator', 'revokeCredential', 'Revoke a credential'),
  route(`GET ${a}/tickets`, 'credentials', 'operator', 'listTickets', 'Capability tickets still good', {
    query: paging,
  }),
  route(`POST ${a}/tickets/redeem`, 'credentials', 'operator', 'redeemTicket', 'Redeem a capability ticket, once'),
  route(`POST ${a}/tickets/{id}/revoke`, 'credentials', 'operator', 'revokeTicket', 'Revoke a capability ticket'),

  route(
    `GET ${a}/federation/config`,
    'federation',
    'plane',
    'federationConfig',
    'The configuration for a data plane, signed, without keys',
    { query: ['plane'] },
  ),
  route(`GET ${a}/federation/planes`, 'federation', 'operator', 'federationPlanes', 'Data planes with lag and health'),
  route(
    `POST ${a}/federation/planes/{name}/accept`,
    'federation',
    'admin',
    'acceptPlane',
    'Take the chains of a data plane as they are now',
    { humansOnly: true, platform: true },
  ),
  route(
    `POST ${a}/federation/status`,
    'federation',
    'plane',
    'federationStatus',
    'How a data plane is, with its evidence heads',
  ),
  route(
    `POST ${a}/federation/metrics`,
    'federation',
    'plane',
    'federationMetrics',
    'Minutes of traffic of a data plane',
  ),

  route('POST /callbacks/slack', 'approval-callback', 'signed', 'slackCallback', 'Votes by Slack button', {
    surface: 'callbacks',
  }),
  route('POST /callbacks/github', 'approval-callback', 'signed', 'githubCallback', 'Votes by pull-request comment', {
    surface: 'callbacks',
  }),

  route('GET /health', 'models', 'open', 'health', 'Health and version', gateway),
  route('GET /', 'models', 'open', 'reachable', 'Clients ask by HEAD whether the address answers', gateway),
  route('POST /v1/chat/completions', 'chat-completions', 'operator', 'chatCompletions', 'A chat completion', gateway),
  route(
    'POST /v1/responses',
    'chat-completions',
    'operator',
    'responses',
    'A response, as OpenAI clients ask for it',
    gateway,
  ),
  route(
    'GET /v1/responses/{id}',
    'chat-completions',
    'operator',
    'retrieveResponse',
    'A response of the caller that its provider keeps',
    counted,
  ),
  route(
    'DELETE /v1/responses/{id}',
    'chat-completions',
    'operator',
    'deleteResponse',
    'Delete a response of the caller',
    counted,
  ),
  route(
    'GET /v1/responses/{id}/input_items',
    'chat-completions',
    'operator',
    'responseItems',
    'What went into a response of the caller',
    { ...counted, query: ['limit', 'after', 'order'] },
  ),
  route('POST /v1/embeddings', 'chat-completions', 'operator', 'embeddings', 'Embeddings of texts', gateway),
  route('POST /v1/completions', 'chat-completions', 'operator', 'completions', 'A completion of a prompt', gateway),
  route('POST /v1/moderations', 'chat-completions', 'operator', 'moderations', 'A judgement of texts', gateway),
  route('POST /v1/images/generations', 'chat-completions', 'operator', 'images', 'Images of a prompt', gateway),
  route('POST /v1/images/edits', 'chat-completions', 'operator', 'imageEdits', 'Images of images (multipart)', gateway),
  route(
    'POST /v1/audio/transcriptions',
    'chat-completions',
    'operator',
    'transcriptions',
    'Text of speech (multipart)',
    gateway,
  ),
  route(
    'POST /v1/audio/translations',
    'chat-completions',
    'operator',
    'translations',
    'English text of speech (multipart)',
    gateway,
  ),
  route('POST /v1/audio/speech', 'chat-completions', 'operator', 'speech', 'Speech of a text', gateway),
  route(
    'POST /v1/files',
    'chat-completions',
    'operator',
    'createFile',
    'Upload the calls of a batch (multipart)',
    gateway,
  ),
  route('GET /v1/files', 'chat-completions', 'operator', 'listFiles', 'Files of the caller, newest first', {
    ...counted,
    query: kept,
  }),
  route('GET /v1/files/{id}', 'chat-completions', 'operator', 'retrieveFile', 'One file of the caller', counted),
  route('GET /v1/files/{id}/content', 'chat-completions', 'operator', 'fileContent', 'Results of a batch', counted),
  route('DELETE /v1/files/{id}', 'chat-completions', 'operator', 'deleteFile', 'Delete a file of the caller', counted),
  route('POST /v1/batches', 'chat-completions', 'operator', 'createBatch', 'Run the calls of a file', gateway),
  route('GET /v1/batches', 'chat-completions', 'operator', 'listBatches', 'Batches of the caller, newest first', {
    ...counted,
    query: ['limit', 'after'],
  }),
  route('GET /v1/batches/{id}', 'chat-completions', 'operator', 'retrieveBatch', 'One batch of the caller', counted),
  route('POST /v1/batches/{id}/cancel', 'chat-completions', 'operator', 'cancelBatch', 'Cancel a batch', counted),
  route('POST /v1/messages', 'messages', 'operator', 'messages', 'A messages call, as Anthropic clients send it', {
    ...gateway,
    query: anthropicQuery,
  }),
  route('POST /v1/messages/count_tokens', 'count-tokens', 'operator', 'countTokens', 'Estimate of input tokens', {
    ...counted,
    query: anthropicQuery,
  }),
  route(
    'POST /v1/requests/{id}/cancel',
    'models',
    'operator',
    'cancelRequest',
    'Cancel a running request of the same key',
    gateway,
  ),
  route('GET /v1/models', 'models', 'viewer', 'listModels', 'Models the tenant may use', counted),
  route('GET /v1/models/{id}', 'models', 'viewer', 'getModel', 'One model the tenant may use', counted),

  route('GET /health', 'mcp', 'open', 'health', 'Health and version', mcp),
  route('POST /mcp', 'mcp', 'operator', 'mcpMessage', 'A message of an MCP client', mcp),
  route('GET /mcp', 'mcp', 'operator', 'mcpStream', 'Messages of the servers, as events', mcp),
  route('DELETE /mcp', 'mcp', 'operator', 'mcpEnd', 'Ends an MCP session', mcp),
  route('GET /sse', 'mcp', 'operator', 'mcpEvents', 'Opens a session of the older HTTP+SSE transport', mcp),
  route('POST /mcp/session/{id}', 'mcp', 'operator', 'mcpSessionMessage', 'A message of an HTTP+SSE session', mcp),
  route('GET /.well-known/oauth-protected-resource', 'mcp', 'open', 'mcpResource', 'RFC 9728 metadata', mcp),
  route('GET /.well-known/oauth-protected-resource/mcp', 'mcp', 'open', 'mcpResource', 'RFC 9728 metadata', mcp),
];
