/** Answers `initialize` and `server/discover` with the merged capabilities of all servers. */
import type { McpUpstreamEntry } from '#core/contracts/config.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import type { Telemetry } from '#core/kernel/ports.ts';
import { type ClientHandshake, UpstreamFault } from '../ports.ts';
import { metaKeys, sessionVersions, statelessVersions, tasksExtension } from '../protocol/era.ts';
import { invalidParams } from '../protocol/messages.ts';
import { clientInfoOf, declaredCapabilities } from '../protocol/request-meta.ts';
import type { Conversation, ConversationLink } from './conversations.ts';

/** Parses the parameters of `initialize`. @throws RpcFault -32602 for a missing or malformed member. */
export function handshakeOf({ protocolVersion, capabilities, clientInfo }: JsonObject): ClientHandshake {
  if (typeof protocolVersion !== 'string') throw invalidParams('params.protocolVersion must be a string.');
  if (!isObject(capabilities)) throw invalidParams('params.capabilities must be an object.');
  if (!isObject(clientInfo) || typeof clientInfo.name !== 'string')
    throw invalidParams('params.clientInfo needs a name.');
  const known = (sessionVersions as readonly string[]).includes(protocolVersion);
  return {
    protocolVersion: known ? protocolVersion : sessionVersions[0],
    capabilities: declaredCapabilities(capabilities) as JsonObject,
    clientInfo: clientInfoOf(clientInfo),
  };
}

/** Returns the reachable servers. Logs the others, which are contacted again on demand. */
export async function reachedServers(
  conversation: Conversation,
  telemetry: Telemetry,
): Promise<readonly { readonly entry: McpUpstreamEntry; readonly link: ConversationLink }[]> {
  const met = await Promise.all(
    conversation.entries.map(async (entry) => {
      try {
        return [{ entry, link: await conversation.link(entry) }];
      } catch (fault) {
        if (!(fault instanceof UpstreamFault)) throw fault;
        telemetry.log('warn', 'MCP server not reached', {
          upstream: entry.name,
          kind: fault.kind,
          error: fault.message,
        });
        return [];
      }
    }),
  );
  return met.flat();
}

type ReachedServers = Awaited<ReturnType<typeof reachedServers>>;

export function initializeResult(handshake: ClientHandshake, met: ReachedServers, version: string): JsonObject {
  const capabilities = mergeCapabilities(met);
  // Tasks were introduced in this revision. The gateway implements them itself and hides those of the servers.
  const tasks = handshake.protocolVersion === '2025-11-25' && {
    tasks: { cancel: {}, requests: { tools: { call: {} } } },
  };
  return {
    protocolVersion: handshake.protocolVersion,
    capabilities: { ...capabilities, ...tasks },
    serverInfo: serverInfo(version),
    ...instructions(met),
  };
}

export function discoverResult(met: ReachedServers, version: string): JsonObject {
  const { extensions, ...capabilities } = mergeCapabilities(met);
  return {
    resultType: 'complete',
    supportedVersions: [...statelessVersions],
    capabilities: { ...capabilities, extensions: { ...(isObject(extensions) && extensions), [tasksExtension]: {} } },
    ...instructions(met),
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { [metaKeys.serverInfo]: serverInfo(version) },
  };
}

export const serverInfo = (version: string): JsonObject => ({
  name: 'agent-governance-gateway',
  title: 'Agent Governance Gateway',
  version,
});

/** Returns the union of all capabilities. Even without servers, an empty list of tools is offered. */
function mergeCapabilities(met: ReachedServers): JsonObject {
  const all = met.map(({ link }) => {
    const theirs = isObject(link.initializeResult.capabilities) ? link.initializeResult.capabilities : {};
    const { logging: _toTheGateway, ...capabilities } = theirs;
    return link.shared ? capabilities : theirs;
  });
  const { tasks: _theirs, ...capabilities } = all.reduce<JsonObject>((sum, next) => union(sum, next), {});
  return met.length === 0 ? { tools: {} } : capabilities;
}

function union(a: JsonObject, b: JsonObject): JsonObject {
  const sum: { [key: string]: Json } = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const before = sum[key];
    sum[key] = isObject(before) && isObject(value) ? union(before, value) : before === true ? true : value;
  }
  return sum;
}

function instructions(met: ReachedServers): JsonObject {
  const instructing = met.flatMap(({ entry, link }) => {
    const text = link.initializeResult.instructions;
    return typeof text === 'string' && text !== '' ? [{ name: entry.name, text }] : [];
  });
  if (instructing.length === 0) return {};
  const [only] = instructing;
  return {
    instructions: met.length === 1 ? only!.text : instructing.map(({ name, text }) => `${name}: ${text}`).join('\n\n'),
  };
}
