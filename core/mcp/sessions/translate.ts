/**
 * Translates between a client and a server of different eras (core/mcp/protocol/era.ts). Messages within the same era
 * pass unchanged.
 */
import type { JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import type { ClientHandshake, UpstreamLink } from '../ports.ts';
import { type Era, metaKeys, statelessVersions } from '../protocol/era.ts';
import { mcpCodes, type RpcOutcome } from '../protocol/messages.ts';

const envelopeKeys = [metaKeys.version, metaKeys.clientInfo, metaKeys.capabilities, metaKeys.logLevel] as const;

/** Returns the parameters in the form of the server's era. */
export function paramsFor(
  link: Pick<UpstreamLink, 'era'>,
  from: Era,
  handshake: ClientHandshake,
  params: JsonObject,
): JsonObject {
  if (link.era === from) return params;
  const meta: JsonObject = isObject(params._meta) ? { ...params._meta } : {};
  if (link.era === 'stateless') return { ...params, _meta: { ...meta, ...envelopeOf(handshake) } };
  for (const key of envelopeKeys) delete meta[key];
  const { _meta: _enveloped, ...rest } = params;
  return Object.keys(meta).length > 0 ? { ...rest, _meta: meta } : rest;
}

/** Returns the `_meta` for a stateless request on behalf of a session's client. It declares no client capabilities. */
export const envelopeOf = ({ clientInfo }: ClientHandshake): JsonObject => ({
  [metaKeys.version]: statelessVersions[0],
  [metaKeys.clientInfo]: clientInfo,
  [metaKeys.capabilities]: {},
});

const cacheable: ReadonlySet<string> = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'server/discover',
]);

/** Returns a server's outcome in the form of the client's era. */
export function outcomeFor(link: Pick<UpstreamLink, 'era'>, to: Era, method: string, outcome: RpcOutcome): RpcOutcome {
  if (link.era === to) return outcome;
  if ('error' in outcome) return to === 'stateless' ? { error: modernError(method, outcome.error) } : outcome;
  return to === 'stateless' ? { result: complete(method, outcome.result) } : withoutModern(outcome.result);
}

/** Adds the members required by 2026-07-28 to a result from the gateway or from an older server. */
export function complete(method: string, result: JsonObject): JsonObject {
  const tools =
    method === 'tools/list' && Array.isArray(result.tools) ? { tools: result.tools.map(withoutExecution) } : {};
  return {
    ...result,
    ...tools,
    resultType: result.resultType ?? 'complete',
    ...(cacheable.has(method) && { ttlMs: result.ttlMs ?? 0, cacheScope: result.cacheScope ?? 'private' }),
  };
}

/** Removes `execution` (tasks of 2025-11-25) from a tool. */
function withoutExecution<T>(tool: T): T {
  if (!isObject(tool)) return tool;
  const { execution: _tasks, ...rest } = tool;
  return rest as T;
}

/** Replaces the older error code for "Resource not found". */
const modernError = <E extends { code: number }>(method: string, error: E): E =>
  method === 'resources/read' && error.code === -32002 ? { ...error, code: mcpCodes.invalidParams } : error;

function withoutModern(result: JsonObject): RpcOutcome {
  const { resultType, ttlMs: _ttl, cacheScope: _scope, ...rest } = result;
  if (resultType !== undefined && resultType !== 'complete') {
    const message = `The server answered ${JSON.stringify(resultType)}, which clients of revisions before 2026-07-28 cannot handle.`;
    return { error: { code: mcpCodes.upstreamFailed, message } };
  }
  return { result: rest };
}
