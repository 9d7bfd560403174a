/** Writes an MCP gateway reply as one JSON body or as server-sent events. */

import type { HttpReply } from '#core/contracts/http.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { Timeouts } from '#core/kernel/ports.ts';
import type { McpGateway } from '#core/mcp/gateway.ts';
import { endpointOf, type McpReply } from '#core/mcp/http-call.ts';
import type { MessageQueue } from '#core/mcp/sessions/message-queue.ts';
import { retryMs, type StreamEvent } from '#core/mcp/sessions/resumable-streams.ts';
import { encodeSse } from '#core/models/dialects/sse.ts';
import { sse } from '../middleware/sse.ts';

/** Time limit for a JSON response. Slower responses become a stream, because proxies close idle connections. */
const jsonWithinMs = 10_000;

/** Writes events if the client accepts them and the response is not the first message, otherwise JSON. */
export async function writeReply(
  { resumable }: Pick<McpGateway, 'resumable'>,
  reply: McpReply,
  events: boolean,
  timeouts: Timeouts,
): Promise<HttpReply> {
  const { messages, status, headers, body, finished, resumableIn } = reply;
  const going = finished && { finished };
  if (!messages) {
    const json = body !== undefined && { 'content-type': 'application/json' };
    return {
      statusCode: status,
      headers: { ...headers, ...json },
      body: body === undefined ? '' : JSON.stringify(body),
      ...going,
    };
  }
  if (!events) {
    let last: JsonObject | undefined;
    for await (const message of messages) if (message.method === undefined) last = message;
    return { ...jsonReply(last, headers, messages.refusal), ...going };
  }
  const pending = messages.next();
  const first = await resultWithin(jsonWithinMs, pending, timeouts);
  const { refusal } = messages;
  if (first !== undefined && (refusal || !messages.streams) && (first.done || first.value.method === undefined))
    return { ...jsonReply(first.done ? undefined : first.value, headers, refusal), ...going };
  let taken: typeof pending | undefined = pending;
  const all: AsyncIterator<JsonObject> & AsyncIterable<JsonObject> = {
    next: () => {
      const next = taken ?? messages.next();
      taken = undefined;
      return next;
    },
    return: () => messages.return(),
    [Symbol.asyncIterator]: () => all,
  };
  if (resumableIn !== undefined)
    return { ...numberedReply(resumable.begin(resumableIn, all, messages), headers, timeouts), ...going };
  return { ...eventReply(all, headers, timeouts), ...going };
}

/** Returns the JSON reply, or undefined for a cancelled request. */
function jsonReply(
  response: JsonObject | undefined,
  headers: Readonly<Record<string, string>>,
  refusal: MessageQueue['refusal'],
): HttpReply {
  if (!response) return { statusCode: 202, headers: { ...headers }, body: '' };
  const wait = refusal?.fault instanceof GatewayError ? refusal.fault.retryAfterSeconds : undefined;
  return {
    statusCode: refusal?.status ?? 200,
    headers: {
      ...headers,
      'content-type': 'application/json',
      ...(wait !== undefined && { 'retry-after': String(wait) }),
    },
    body: JSON.stringify(response),
  };
}

export function streamReply(reply: McpReply, timeouts: Timeouts): HttpReply {
  if (reply.events) return numberedReply(reply.events, reply.headers, timeouts);
  if (!reply.messages) return { statusCode: reply.status, headers: { ...reply.headers }, body: '' };
  return {
    ...eventReply(reply.messages, reply.headers, timeouts),
    ...(reply.finished && { finished: reply.finished }),
  };
}

const wire = {
  encode: (message: JsonObject): string => {
    const endpoint = endpointOf(message);
    return endpoint === undefined ? encodeSse('message', JSON.stringify(message)) : encodeSse('endpoint', endpoint);
  },
  terminator: '',
};

const eventReply = (
  messages: AsyncIterable<JsonObject>,
  headers: Readonly<Record<string, string>>,
  timeouts: Timeouts,
): HttpReply => ({
  statusCode: 200,
  headers: { ...headers, 'content-type': 'text/event-stream; charset=utf-8' },
  body: sse(messages, wire, timeouts),
});

/** Encodes events with their ids. The first event carries no message, only the reconnection time. */
const numbered = {
  encode: ({ id, message }: JsonObject): string =>
    message === undefined
      ? `id: ${String(id)}\nretry: ${retryMs}\ndata: \n\n`
      : `id: ${String(id)}\n${encodeSse('message', JSON.stringify(message))}`,
  terminator: '',
};

const numberedReply = (
  events: AsyncIterable<StreamEvent>,
  headers: Readonly<Record<string, string>>,
  timeouts: Timeouts,
): HttpReply => ({
  statusCode: 200,
  headers: { ...headers, 'content-type': 'text/event-stream; charset=utf-8' },
  body: sse(events as unknown as AsyncIterable<JsonObject>, numbered, timeouts),
});

const resultWithin = <T>(ms: number, work: Promise<T>, timeouts: Timeouts): Promise<T | undefined> =>
  new Promise((resolve, reject) => {
    const cancel = timeouts.after(ms, () => resolve(undefined));
    work.then(resolve, reject).finally(cancel);
  });
