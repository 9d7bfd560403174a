/** A local gateway with MCP servers, and helpers to call it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Gateway, startGateway } from './gateway.ts';
import { type Served, serve } from './serve.ts';

export const mcpKeys = { agent: 'mcp-agent-key-0001', other: 'mcp-agent-key-0002', human: 'mcp-human-key-0001' };

export interface McpGatewayOptions {
  /** Entries of `upstreams.mcp`, as JSON. */
  readonly upstreams: readonly object[];
  /** Rules of the tool policy, placed before its default. */
  readonly rules?: readonly object[];
  readonly defaultDecision?: 'allow' | 'review' | 'block';
  /** Additional members of the configuration. */
  readonly extra?: object;
  readonly tenant?: object;
  readonly env?: Readonly<Record<string, string>>;
}

export interface McpGatewayRun extends Gateway {
  readonly url: string;
  readonly admin: string;
  /** Writes another configuration, which the running gateway detects. */
  configure(options: McpGatewayOptions): void;
}

export async function startMcpGateway(options: McpGatewayOptions): Promise<McpGatewayRun> {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-gateway-'));
  const config = join(folder, 'gateway.json');
  const configure = (wanted: McpGatewayOptions) => writeFileSync(config, JSON.stringify(configurationOf(wanted)));
  configure(options);
  const gateway = await startGateway({ config, ...(options.env && { env: options.env }) });
  return Object.assign(Object.create(gateway) as Gateway, {
    url: `${gateway.ready.mcp_url}/mcp`,
    admin: gateway.ready.admin_url,
    configure,
    stop: async () => {
      const code = await gateway.stop();
      rmSync(folder, { recursive: true, force: true });
      return code;
    },
  });
}

/** @param more additional members of the person's key. */
export const configurationOf = (
  { upstreams, rules = [], defaultDecision = 'allow', extra, tenant }: McpGatewayOptions,
  keys = mcpKeys,
  more: object = {},
) => ({
  version: 1,
  people: [{ id: 'alice', role: 'operator' }],
  tenants: [
    {
      id: 'default',
      api_keys: [
        { key: keys.agent, kind: 'agent', name: 'writer' },
        { key: keys.other, kind: 'agent', name: 'other' },
        { key: keys.human, kind: 'human', person: 'alice', name: 'alice-laptop', ...more },
      ],
      ...tenant,
    },
  ],
  tool_policies: { pack: null, default_decision: defaultDecision, rules },
  upstreams: { mcp: upstreams },
  ...extra,
});

export async function vote(admin: string, envelopeId: string, verdict: 'approve' | 'deny'): Promise<number> {
  const response = await fetch(`${admin}/admin/v1/approvals/${envelopeId}/${verdict}`, {
    method: 'POST',
    headers: { 'x-api-key': mcpKeys.human, 'content-type': 'application/json' },
    body: JSON.stringify({ reviewer: 'alice' }),
  });
  return response.status;
}

/**
 * Starts a proxy for clients that cannot be given a key: it adds the key and passes everything else through unchanged.
 */
export async function keyedProxy(target: string, key: string): Promise<Served> {
  const upstream = new URL(target);
  const served = await serve((incoming, outgoing) => {
    const port = incoming.socket.localPort;
    const ours = (text: string | undefined) =>
      text?.replace(/(localhost|127\.0\.0\.1):\d+/, (at) => (at.endsWith(`:${port}`) ? upstream.host : at));
    const headers = { ...incoming.headers, 'x-api-key': key, host: ours(incoming.headers.host) };
    if (incoming.headers.origin) headers.origin = ours(incoming.headers.origin)!;
    const sent = httpRequest(
      { host: upstream.hostname, port: upstream.port, path: upstream.pathname, method: incoming.method, headers },
      (reply) => {
        outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(outgoing);
      },
    );
    sent.on('error', () => outgoing.destroy());
    outgoing.on('close', () => sent.destroy());
    incoming.pipe(sent);
  });
  return { ...served, url: `${served.url}/mcp` };
}
