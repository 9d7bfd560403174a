/** MCP gateway handlers over the embedded store, with a real server behind them. */
import { join } from 'node:path';
import { packFiles } from '#adapters/files/pack-files.ts';
import { mcpUpstreams } from '#adapters/mcp/upstreams.ts';
import type { Store } from '#adapters/tables/store.ts';
import { storeVersion } from '#core/configuration/store/versions.ts';
import { loadConfiguration } from '#features/load-configuration.ts';
import { routes } from '#features/routes.ts';
import { httpHandlers, mcpHandlers } from '#lambdas/handlers.ts';
import { mcpGateway } from '#lambdas/mcp/compose.ts';
import { eventTo, textOf } from './call-endpoint.ts';
import { evidenceOf } from './evidence-of.ts';
import type { Loose } from './loose.ts';
import { configurationOf } from './mcp-gateway.ts';
import { type McpServer, type ServerOptions, startMcpServer } from './mcp-servers.ts';
import { type TestPorts, testPorts } from './ports.ts';

export const keys = { agent: 'contract-agent-key-1', other: 'contract-agent-key-2', human: 'contract-human-key-1' };
export const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** MCP server of the running test file. */
export let server: McpServer;
export let test_: TestPorts;
export let gateway: ReturnType<typeof compose>;
let rules: readonly object[] = [];

export interface Settings {
  readonly upstreams?: readonly object[];
  readonly hold?: number;
  readonly rate?: number;
  readonly bodyBytes?: number;
  readonly approvals?: object;
  readonly extra?: object;
}

export async function configure({
  upstreams = [{ name: 'fixture', url: server.url }],
  hold = 0,
  rate,
  bodyBytes,
  approvals,
  extra,
}: Settings = {}) {
  const tenant = {
    ...(rate !== undefined && { rate_limit: { requests_per_minute: rate } }),
    ...(bodyBytes !== undefined && { max_body_bytes: bodyBytes }),
  };
  const more = { approvals: { hold_seconds: hold, ...approvals }, ...extra };
  const text = JSON.stringify(configurationOf({ upstreams, rules, tenant, extra: more }, keys, { role: 'admin' }));
  const { configuration } = await loadConfiguration(text, { packs: packFiles(join(__dirname, '../../policies')) });
  await storeVersion(test_.ports, configuration, 'test', 'api');
  await test_.ports.snapshots.refresh();
}

/** Composes a gateway with its own memory, like a separate process. @param over ports that replace the test's. */
export function compose(over: Partial<TestPorts['ports']> = {}) {
  const ports = { ...test_.ports, ...over };
  const upstreams = mcpUpstreams({ ...ports, outgoing: () => ({}) });
  const mcp = mcpGateway({ streamSlots: undefined, ...ports, upstreams, classifiers: async () => ports });
  return {
    ...mcp,
    handlers: { ...httpHandlers(mcp.ports), ...mcpHandlers(mcp) } as Record<
      string,
      ReturnType<typeof httpHandlers>['policies']
    >,
  };
}

export type Answer = Loose;

export interface Sent {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly session?: string;
  readonly at?: ReturnType<typeof compose>;
  /** Aborts when the client disconnects. */
  readonly signal?: AbortSignal;
  /** Domain of API Gateway. */
  readonly domainName?: string;
}

export async function http(
  method: string,
  path: string,
  body: unknown,
  { key = keys.agent, headers, session, at = gateway, signal, domainName }: Sent = {},
) {
  const made = eventTo(method, path, {
    key,
    ...(typeof body === 'string' ? { raw: body } : { body }),
    headers: {
      accept: 'application/json, text/event-stream',
      ...(session !== undefined && { 'mcp-session-id': session }),
      ...headers,
    },
  });
  const event =
    domainName === undefined
      ? made
      : { ...made, requestContext: { ...made.requestContext, domainName, stage: 'gateway' } };
  const { handledBy } = routes.find((each) => each.path === event.resource && each.surface !== 'gateway')!;
  const reply = await at.handlers[handledBy]!(event, { awsRequestId: 'r', ...(signal && { signal }) });
  const text = await textOf(reply);
  const events = reply.headers['content-type']?.startsWith('text/event-stream');
  const messages = events
    ? [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data!))
    : text === ''
      ? []
      : [JSON.parse(text)];
  return {
    status: reply.statusCode,
    headers: reply.headers,
    messages: messages as Answer[],
    last: messages.at(-1) as Answer,
  };
}

/** Id of the last request. */
export let id = 0;
export const send = (method: string, params: object, sent?: Sent) =>
  http('POST', '/mcp', { jsonrpc: '2.0', id: ++id, method, params }, sent);

export async function open(sent: Sent = {}, version = '2025-11-25'): Promise<string> {
  const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 't', version: '1' } };
  return (await send('initialize', params, sent)).headers['mcp-session-id']!;
}

export const call = (name: string, args: object, sent: Sent, more: object = {}) =>
  send('tools/call', { name, arguments: args, ...more }, sent);

export const modern = (
  method: string,
  params: { name?: string; taskId?: string; arguments?: object; requestState?: unknown; inputResponses?: unknown },
  sent: Sent = {},
  envelope: object = meta,
) => {
  const named = params.name ?? params.taskId;
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...(named && { 'mcp-name': named }) };
  return send(method, { ...params, _meta: envelope }, { ...sent, headers: { ...headers, ...sent.headers } });
};

export const vote = (envelopeId: string, verdict: 'approve' | 'deny') =>
  http('POST', `/admin/v1/approvals/${envelopeId}/${verdict}`, { reviewer: 'alice' }, { key: keys.human });

export const entries = (session: string) => evidenceOf(test_.ports, session);

/**
 * Starts server and store before the tests of a file or `describe`, and composes a new gateway for each.
 * @param options of the server; `none` if the tests bring their own servers.
 */
export function useMcpEndpoint(
  given: readonly object[],
  options: ServerOptions | 'none' = {},
  store?: () => Store,
): void {
  beforeAll(async () => {
    rules = given;
    server = (options === 'none' ? undefined : await startMcpServer(options)) as McpServer;
    test_ = await testPorts({
      ...(store && { store: store() }),
      secrets: {
        UPSTREAM_TOKEN: 'upstream-token-value-1',
        STATIC_SECRET: 'minted-secret-value-77',
        GATEWAY_TICKET_KEY: 'ticket-key-of-the-contract-tests',
      },
    });
  });

  afterAll(async () => {
    await test_?.stop();
    await server?.stop();
  });

  beforeEach(async () => {
    server?.describe({});
    await configure(server ? {} : { upstreams: [] });
    gateway = compose();
  });

  afterEach(() => gateway.gateway.stop());
}
