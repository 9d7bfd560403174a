/** JSON-RPC 2.0 messages used by MCP, and the gateway's errors. */

import { type ErrorCode, GatewayError, rpcCodes } from '#core/kernel/errors.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';

export type RequestId = string | number;

export interface RpcRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
}

interface RpcNotification {
  readonly method: string;
  readonly params: JsonObject | undefined;
}

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: Json | undefined;
}

/** Outcome of a request. */
export type RpcOutcome = { readonly result: JsonObject } | { readonly error: RpcError };

export type RpcMessage =
  | { readonly kind: 'request'; readonly request: RpcRequest }
  | { readonly kind: 'notification'; readonly notification: RpcNotification }
  | { readonly kind: 'response'; readonly id: RequestId; readonly outcome: RpcOutcome };

/** MCP's additions to the JSON-RPC error codes. */
export const mcpCodes = {
  ...rpcCodes,
  /** With status 404. Official servers send this code, and some clients open a new session only if they find it. */
  sessionNotFound: -32001,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
  urlElicitationRequired: -32042,
} as const;

/** A fault with its own JSON-RPC code. `status` is the HTTP status if the protocol requires one other than 200. */
export class RpcFault extends Error {
  override readonly name = 'RpcFault';
  readonly code: number;
  readonly data: Json | undefined;
  readonly status: number;
  /** Id of the faulty request, if the fault was found before the request was parsed. */
  readonly id: RequestId | undefined;

  constructor(code: number, message: string, options: { data?: Json; status?: number; id?: RequestId } = {}) {
    super(message);
    this.id = options.id;
    this.code = code;
    this.data = options.data;
    this.status = options.status ?? 200;
  }

  toError(): RpcError {
    return { code: this.code, message: this.message, ...(this.data !== undefined && { data: this.data }) };
  }
}

/** Error codes that are returned with their own HTTP status: authorisation, rate limit, size and store failures. */
const httpFaults: ReadonlySet<ErrorCode> = new Set([
  'authentication_error',
  'forbidden',
  'session_blocked',
  'payload_too_large',
  'unsupported_media_type',
  'rate_limit_error',
  'budget_exceeded',
  'service_unavailable',
]);

/** Converts a thrown value to a response error. Details of unexpected errors are left out. */
export function errorOf(fault: unknown): { readonly error: RpcError; readonly status: number } {
  if (fault instanceof RpcFault) return { error: fault.toError(), status: fault.status };
  if (!(fault instanceof GatewayError))
    return { error: { code: mcpCodes.internal, message: 'The gateway could not complete the request.' }, status: 200 };
  const { type, message, code: _status, ...data } = fault.toBody().error;
  const error = { code: fault.kind.rpc, message, data: { type, ...data } as JsonObject };
  return { error, status: httpFaults.has(fault.code) ? fault.kind.status : 200 };
}

/** Reads headers. @throws RpcFault with status 400 for an invalid one, as for other malformed headers of the transport. */
export function readHeaders<T>(read: () => T): T {
  try {
    return read();
  } catch (fault) {
    if (!(fault instanceof GatewayError && fault.code === 'invalid_request')) throw fault;
    throw new RpcFault(mcpCodes.invalidRequest, fault.message, { status: 400 });
  }
}

export const invalidParams = (message: string, data?: Json): RpcFault =>
  new RpcFault(mcpCodes.invalidParams, message, data === undefined ? {} : { data });

export const responseOf = (id: RequestId | null, outcome: RpcOutcome): JsonObject => ({
  jsonrpc: '2.0',
  id,
  ...(outcome as JsonObject),
});

export const notificationOf = (method: string, params?: JsonObject): JsonObject => ({
  jsonrpc: '2.0',
  method,
  ...(params && { params }),
});

/** Parses a JSON-RPC message. @throws RpcFault -32600 if the value is not a valid message. */
export function messageOf(value: unknown): RpcMessage {
  if (!isObject(value) || value.jsonrpc !== '2.0') throw notRpc('"jsonrpc": "2.0" is missing');
  const { id, method } = value;
  // Some clients send null for absent members.
  const [result, error] = [value.result ?? undefined, value.error ?? undefined];
  if (method !== undefined) {
    if (result !== undefined || error !== undefined) throw notRpc('method is sent with a result or an error');
    if (typeof method !== 'string' || method === '') throw notRpc('method must be a string');
    const params = value.params ?? undefined;
    if (params !== undefined && !isObject(params)) throw notRpc('params must be an object');
    if (id === undefined) return { kind: 'notification', notification: { method, params } };
    if (!isId(id)) throw notRpc('id must be a string or a whole number');
    return { kind: 'request', request: { id, method, params: params ?? {} } };
  }
  if (!isId(id)) throw notRpc('a response needs the id of its request');
  if (isObject(result) && error === undefined) return { kind: 'response', id, outcome: { result } };
  if (isObject(error) && result === undefined) return { kind: 'response', id, outcome: { error: rpcError(error) } };
  throw notRpc('expected a request, a notification or a response');
}

/** Returns the id to use in the response to an invalid message. */
export const requestIdOf = (value: unknown): RequestId | null => (isObject(value) && isId(value.id) ? value.id : null);

const isId = (id: unknown): id is RequestId =>
  (typeof id === 'string' && id.length <= 1024) || (typeof id === 'number' && Number.isSafeInteger(id));

const notRpc = (why: string): RpcFault =>
  new RpcFault(mcpCodes.invalidRequest, `Invalid JSON-RPC 2.0 message: ${why}.`);

/** Parses an error from another server. */
export function rpcError({ code, message, data }: JsonObject): RpcError {
  return {
    code: typeof code === 'number' && Number.isInteger(code) ? code : mcpCodes.internal,
    message: typeof message === 'string' ? message : 'The server gave no reason.',
    ...(data !== undefined && { data }),
  };
}
