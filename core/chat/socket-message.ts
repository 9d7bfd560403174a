/** Messages of the chat WebSocket: JSON text for concurrent calls, identified by id. */

import { chatJson, type DialectName } from '#core/contracts/chat.ts';
import { asGatewayError, GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import { type Json, type JsonObject, parseStrict } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';

/** Id as the caller sent it, in the form that responses use. */
export type SentId = string | number;

export interface SocketCall {
  readonly type: 'call';
  /** Identifies the call on its connection; `5` and `"5"` are the same id. */
  readonly id: string;
  readonly sentId: SentId;
  readonly dialect: DialectName;
  readonly body: JsonObject;
  readonly sessionId?: string;
  readonly approvalRef?: string;
  readonly traceparent?: string;
  /** Headers that are forwarded to the provider. */
  readonly passed: Readonly<Record<string, string>>;
}

type SocketMessage =
  | { readonly type: 'auth'; readonly apiKey: string }
  | SocketCall
  | { readonly type: 'cancel'; readonly id: string }
  | { readonly type: 'ping' }
  /** Message that could not be parsed; `sentId` identifies its call, if known. */
  | { readonly type: 'faulty'; readonly sentId?: SentId; readonly fault: GatewayError };

export const closeCodes = {
  unauthenticated: 4401,
  refused: 4403,
  limited: 4429,
  tooLarge: 1009,
  goingAway: 1001,
} as const;

/** Close codes by HTTP status. Any other error gets a response, and the connection stays open. */
export const closesWith: Readonly<Record<number, number>> = {
  401: closeCodes.unauthenticated,
  403: closeCodes.refused,
  413: closeCodes.tooLarge,
  429: closeCodes.limited,
};

export const socketLimits = {
  /** Maximum number of concurrent calls per connection. */
  calls: 64,
  /** Milliseconds that a connection may stay open before it provides a key. */
  authWithinMs: 10_000,
  /** Maximum size in bytes of a message read before a key is provided. */
  bytesBeforeKey: 4 * 1024,
  /** Maximum number of messages read before a key is provided. */
  messagesBeforeKey: 8,
  /** Maximum number of concurrent connections per process. One tenth of them may be without a key. */
  connections: 1_000,
} as const;

const idPattern = /^[\x21-\x7e]{1,128}$/;
const kinds: Readonly<Record<string, DialectName>> = {
  'chat.completions': 'openai',
  chat: 'openai',
  messages: 'anthropic',
};

/**
 * Parses one message. A bare chat request, without `type`, is treated as chat completions.
 * @param freshId generates an id for a call that has none.
 */
export function readMessage(text: string, freshId: () => string): SocketMessage {
  let message: Json = null;
  try {
    message = parseStrict(text, chatJson);
    if (!isObject(message))
      throw invalidRequest(
        `The message is ${Array.isArray(message) ? 'an array' : `a ${message === null ? 'null' : typeof message}`}; send one JSON object.`,
      );
    return messageOf(message, freshId);
  } catch (thrown) {
    const id = isObject(message) ? message.id : undefined;
    return { type: 'faulty', ...(isId(id) && { sentId: id }), fault: asGatewayError(thrown) };
  }
}

function messageOf(message: JsonObject, freshId: () => string): SocketMessage {
  const { type } = message;
  if (type === 'ping') return { type };
  if (type === 'auth') return { type, apiKey: requiredText(message, 'api_key') };
  if (type === 'cancel') return { type, id: String(parseId(message.id)) };
  if (type === undefined && (message.model !== undefined || message.messages !== undefined)) {
    const { id, ...body } = message;
    return { type: 'call', ...callIds(id, freshId), dialect: 'openai', body, passed: {} };
  }
  const dialect = typeof type === 'string' && Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  if (dialect === undefined) {
    const found = JSON.stringify(type)?.slice(0, 64) ?? 'missing';
    throw invalidRequest(`type is ${found}; allowed: auth, chat.completions, messages, cancel, ping.`);
  }
  return parseCall(message, dialect, freshId);
}

function parseCall(message: JsonObject, dialect: DialectName, freshId: () => string): SocketCall {
  const { body } = message;
  const ids = callIds(message.id, freshId);
  if (!isObject(body)) throw invalidRequest('body must be the request as it would be posted: a JSON object.');
  const optional = (name: string) => (message[name] === undefined ? undefined : requiredText(message, name));
  const [sessionId, approvalRef, traceparent] = ['session_id', 'approval_ref', 'traceparent'].map(optional);
  const [beta, version] = ['anthropic_beta', 'anthropic_version'].map(optional);
  return {
    type: 'call',
    ...ids,
    dialect,
    body,
    ...(sessionId !== undefined && { sessionId }),
    ...(approvalRef !== undefined && { approvalRef }),
    ...(traceparent !== undefined && { traceparent }),
    passed: {
      ...(beta !== undefined && { 'anthropic-beta': beta }),
      ...(version !== undefined && { 'anthropic-version': version }),
    },
  };
}

/** Reads a string of visible ASCII, because some of these strings are sent as headers. */
function requiredText(message: JsonObject, name: string): string {
  const value = message[name];
  if (typeof value === 'string' && /^[\x20-\x7e]{1,4096}$/.test(value)) return value;
  throw invalidRequest(`${name} is not a string of 1 to 4096 visible ASCII characters; send one, or leave it out.`);
}

const isId = (value: Json | undefined): value is SentId =>
  typeof value === 'string' ? idPattern.test(value) : Number.isSafeInteger(value);

function parseId(value: Json | undefined): SentId {
  if (isId(value)) return value;
  const found = value === undefined ? 'missing' : JSON.stringify(value).slice(0, 64);
  throw invalidRequest(
    `id is ${found}; allowed is a string of 1 to 128 visible ASCII characters without spaces, or a whole number of at most 2^53 - 1. Choose one for each call.`,
  );
}

function callIds(sent: Json | undefined, freshId: () => string): Pick<SocketCall, 'id' | 'sentId'> {
  const sentId = sent === undefined ? freshId() : parseId(sent);
  return { id: String(sentId), sentId };
}

/** Returns the refusal of an additional call on a connection. */
export const refusalOf = (why: 'running' | 'full', callId: string): GatewayError =>
  why === 'running'
    ? new GatewayError(
        'conflict',
        `A call with the id ${callId} is running on this connection. Send another id, or wait until that call has ended.`,
      )
    : new GatewayError(
        'rate_limit_error',
        `${socketLimits.calls} calls are running on this connection, the most allowed. Wait until one has ended.`,
        {
          retryAfterSeconds: 1,
        },
      );

type Headers = Readonly<Record<string, string>>;

/** Outcome of a call that was streamed or cancelled. */
type SocketEnding = 'completed' | 'failed' | 'aborted';

/** Messages that the gateway sends. */
export const serverMessages = {
  ready: (maxMessageBytes: number) => JSON.stringify({ type: 'ready', max_message_bytes: maxMessageBytes }),
  pong: () => JSON.stringify({ type: 'pong' }),
  /** @param headers response headers, sent with the first event. */
  event: (id: SentId, data: JsonObject, headers?: Headers) =>
    JSON.stringify({ type: 'event', id, ...(headers && { headers }), data }),
  done: (id: SentId, outcome: SocketEnding) => JSON.stringify({ type: 'done', id, outcome }),
  response: (id: SentId, status: number, headers: Headers, body: JsonObject) =>
    JSON.stringify({ type: 'response', id, status, headers, body }),
  /** @param body error body in the call's dialect, if the error is about a call. */
  error: (fault: GatewayError, about: { id?: SentId | undefined; headers?: Headers; body?: JsonObject } = {}) =>
    JSON.stringify({
      ...(about.body ?? fault.toBody()),
      type: 'error',
      ...(about.id !== undefined && { id: about.id }),
      status: fault.kind.status,
      ...(fault.retryAfterSeconds !== undefined && { retry_after: fault.retryAfterSeconds }),
      ...(about.headers && { headers: about.headers }),
    }),
};
