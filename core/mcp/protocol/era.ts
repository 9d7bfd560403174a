/**
 * Determines a request's MCP era from the request alone. In revisions up to 2025-11-25, `initialize` opens a session;
 * from 2026-07-28, each request declares its version and client in `_meta`, and its headers repeat them.
 */
import { asText } from '#core/kernel/as-text.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { mcpCodes, RpcFault, type RpcMessage, type RpcRequest } from './messages.ts';

export const sessionVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
export const statelessVersions = ['2026-07-28'] as const;
/** Version assumed for clients that do not send a version. */
export const assumedVersion = '2025-03-26';
/** First revision whose clients all accept an event without a message. */
export const resumableVersion = '2025-11-25';
/** The only revision with batches. */
export const batchVersion = '2025-03-26';

export const metaKeys = {
  version: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscription: 'io.modelcontextprotocol/subscriptionId',
  logLevel: 'io.modelcontextprotocol/logLevel',
  relatedTask: 'io.modelcontextprotocol/related-task',
} as const;

export const tasksExtension = 'io.modelcontextprotocol/tasks';

/** Returns the capabilities declared in a stateless request. */
export function capabilitiesOf({ _meta: meta }: JsonObject): JsonObject {
  const capabilities = isObject(meta) ? meta[metaKeys.capabilities] : undefined;
  return isObject(capabilities) ? capabilities : {};
}

export interface McpHeaders {
  readonly version?: string | undefined;
  readonly method?: string | undefined;
  readonly name?: string | undefined;
  readonly session?: string | undefined;
  /** The `Last-Event-ID` header, which requests the rest of a response. */
  readonly lastEvent?: string | undefined;
}

export type Era = 'session' | 'stateless';

/**
 * Returns the era of a request.
 * @throws RpcFault if `_meta` and headers of a stateless request disagree: -32602 (envelope), -32020 (headers), -32022
 * (version).
 */
export function eraOf(message: RpcMessage, headers: McpHeaders): Era {
  if (message.kind === 'response') return 'session';
  const { method, params } = message.kind === 'request' ? message.request : message.notification;
  const meta = isObject(params?._meta) ? params._meta : undefined;
  const headerIsModern = headers.version !== undefined && isModern(headers.version);
  const claimed = meta !== undefined && metaKeys.version in meta;
  if (message.kind === 'notification') {
    if (claimed) sameVersion(meta[metaKeys.version], headers.version);
    if (!claimed && !headerIsModern) return 'session';
    sameMethod(method, headers.method);
    return 'stateless';
  }
  if (method === 'initialize' && !(claimed && isModern(asText(meta[metaKeys.version])))) {
    if (headerIsModern) throw mismatch(headers.version!, 'initialize belongs to revisions before 2026-07-28');
    return 'session';
  }
  if (!claimed) {
    if (!headerIsModern) return 'session';
    assertStateless(headers.version!);
    throw envelopeFault(meta === undefined ? '_meta is missing' : `${metaKeys.version} is missing`);
  }
  checkEnvelope(meta);
  sameVersion(meta[metaKeys.version], headers.version);
  if (headers.method !== undefined) sameMethod(method, headers.method);
  assertStateless(meta[metaKeys.version] as string);
  checkHeaders(message.request, headers);
  return 'stateless';
}

/** Rejects unknown future revisions. @throws RpcFault -32022 */
function assertStateless(version: string): void {
  if ((statelessVersions as readonly string[]).includes(version)) return;
  throw new RpcFault(mcpCodes.unsupportedVersion, `Unsupported protocol version: ${version.slice(0, 40)}`, {
    status: 400,
    data: { supported: [...statelessVersions], requested: version.slice(0, 40) },
  });
}

const isModern = (version: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= statelessVersions[0];

/**
 * Rejects an unknown version header, because its client would misinterpret the response. Stateless requests with a
 * future revision are rejected instead based on `_meta`.
 * @throws RpcFault -32600
 */
export function assertKnownVersion({ version }: McpHeaders): void {
  const known: readonly string[] = sessionVersions;
  if (version === undefined || isModern(version) || known.includes(version)) return;
  const requested = version.slice(0, 40);
  const supported = [...statelessVersions, ...sessionVersions];
  throw new RpcFault(
    mcpCodes.invalidRequest,
    `Bad Request: MCP-Protocol-Version is ${JSON.stringify(requested)}; allowed are ${supported.join(', ')}.`,
    { status: 400, data: { supported, requested } },
  );
}

function checkEnvelope(meta: JsonObject): void {
  if (typeof meta[metaKeys.version] !== 'string') throw envelopeFault(`${metaKeys.version} must be a string`);
  if (!isObject(meta[metaKeys.capabilities])) {
    throw envelopeFault(
      `${metaKeys.capabilities} ${metaKeys.capabilities in meta ? 'must be an object' : 'is missing'}`,
    );
  }
  const info = meta[metaKeys.clientInfo];
  if (info !== undefined && !(isObject(info) && typeof info.name === 'string' && typeof info.version === 'string'))
    throw envelopeFault(`${metaKeys.clientInfo} must have name and version`);
}

const envelopeFault = (why: string): RpcFault =>
  new RpcFault(mcpCodes.invalidParams, `Invalid _meta envelope for protocol revision 2026-07-28: ${why}.`, {
    status: 400,
  });

/** Body member that `Mcp-Name` repeats, by method. */
const nameMembers: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** Rejects headers that differ from the body, since otherwise a filter in front of the gateway could be bypassed. */
function checkHeaders({ method, params }: RpcRequest, headers: McpHeaders): void {
  if (headers.version === undefined) throw mismatch('(missing)', 'the MCP-Protocol-Version header is required');
  if (headers.method === undefined) throw mismatch('(missing)', 'the Mcp-Method header is required');
  const field = Object.hasOwn(nameMembers, method) ? nameMembers[method]! : undefined;
  const value = field === undefined ? undefined : params[field];
  if (typeof value !== 'string') return;
  if (headers.name === undefined) throw mismatch('(missing)', `the Mcp-Name header must repeat params.${field}`);
  const name = decodedHeader(headers.name);
  if (name !== value) throw mismatch(headers.name, `params.${field} differs from the Mcp-Name header`);
}

/**
 * Decodes `=?base64?…?=` values, the encoding for text that headers cannot carry. Returns undefined for non-canonical
 * base64.
 */
export function decodedHeader(value: string): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/i.exec(value)?.[1];
  if (encoded === undefined) return value;
  const bytes = Buffer.from(encoded, 'base64');
  return bytes.toString('base64') === encoded ? bytes.toString('utf8') : undefined;
}

/** Encodes text that a header cannot carry. Returns other text unchanged. */
export const encodedHeader = (text: string): string =>
  text === '' || /^(?!=\?)[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text)
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`;

function sameVersion(claimed: unknown, header: string | undefined): void {
  if (typeof claimed !== 'string') throw envelopeFault(`${metaKeys.version} must be a string`);
  if (header !== undefined && header !== claimed)
    throw mismatch(header, `the body names protocol version ${claimed.slice(0, 40)}`);
}

function sameMethod(method: string, header: string | undefined): void {
  if (header !== undefined && header !== method)
    throw mismatch(header, `the body names method ${method.slice(0, 100)}`);
}

export const mismatch = (header: string, body: string): RpcFault =>
  new RpcFault(mcpCodes.headerMismatch, `Bad Request: the request headers and body disagree: ${body}`, {
    status: 400,
    data: { mismatch: { header: header.slice(0, 200), body } },
  });
