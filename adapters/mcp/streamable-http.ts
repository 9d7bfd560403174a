/**
 * Connects to MCP servers over streamable HTTP, with sessions (2025) or stateless requests (2026), whichever the server
 * supports.
 */
import type { McpUpstreamEntry } from '#core/contracts/config.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { type ConnectOptions, UpstreamFault, type UpstreamLink } from '#core/mcp/ports.ts';
import { statelessVersions } from '#core/mcp/protocol/era.ts';
import { mcpCodes } from '#core/mcp/protocol/messages.ts';
import { envelopeOf } from '#core/mcp/sessions/translate.ts';
import { StreamableLink, type StreamablePorts } from './streamable-link.ts';

/** @throws UpstreamFault */
export async function connectStreamable(
  ports: StreamablePorts,
  entry: McpUpstreamEntry,
  options: ConnectOptions,
): Promise<UpstreamLink> {
  if (options.resume?.session_id !== undefined) {
    return new StreamableLink(ports, entry, {
      era: 'session',
      shared: options.shared,
      initializeResult: {},
      continuation: options.resume,
    });
  }
  const [first, second] = options.prefer === 'session' ? [initialize, discover] : [discover, initialize];
  const met = await first(ports, entry, options);
  if (met !== 'other era') return met;
  const other = await second(ports, entry, options);
  if (other !== 'other era') return other;
  throw new UpstreamFault('garbage', 'it does not support any MCP revision that the gateway supports');
}

async function initialize(
  ports: StreamablePorts,
  entry: McpUpstreamEntry,
  { handshake, shared, signal }: ConnectOptions,
) {
  const { protocolVersion, capabilities, clientInfo } = handshake;
  const link = new StreamableLink(ports, entry, {
    era: 'session',
    shared,
    initializeResult: {},
    continuation: { protocol_version: protocolVersion },
  } as const);
  const params: JsonObject = { protocolVersion, capabilities, clientInfo };
  const outcome = await link.request('initialize', params, { signal, id: ports.randomId(), onMessage: () => {} });
  if ('error' in outcome) return otherEra(outcome.error.code);
  link.initializeResult = outcome.result;
  link.continuation = {
    ...link.continuation,
    protocol_version: String(outcome.result.protocolVersion ?? protocolVersion),
  };
  await link.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return link;
}

async function discover(ports: StreamablePorts, entry: McpUpstreamEntry, { handshake, signal }: ConnectOptions) {
  const version = statelessVersions[0];
  const link = new StreamableLink(ports, entry, {
    era: 'stateless',
    shared: false,
    initializeResult: {},
    continuation: { protocol_version: version },
  } as const);
  const asking = { signal, id: ports.randomId(), onMessage: () => {} };
  const outcome = await link.request('server/discover', { _meta: envelopeOf(handshake) }, asking);
  if ('error' in outcome) return 'other era' as const;
  const { supportedVersions } = outcome.result;
  if (!Array.isArray(supportedVersions) || !supportedVersions.includes(version)) return 'other era' as const;
  link.initializeResult = outcome.result;
  return link;
}

/** Recognises how servers that implement the stateless revision reject an `initialize` request. */
function otherEra(code: number): 'other era' {
  const telling: readonly number[] = [mcpCodes.unsupportedVersion, mcpCodes.unknownMethod, mcpCodes.invalidParams];
  if (telling.includes(code) || code === mcpCodes.invalidRequest || code === -32000) return 'other era';
  throw new UpstreamFault('refused', `it refused to begin a session (code ${code})`);
}
