/** Answers message batches (revision 2025-03-26 only) with one JSON array containing all responses. */

import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import type { McpReply } from './http-call.ts';
import { batchVersion } from './protocol/era.ts';
import { mcpCodes, RpcFault, requestIdOf, responseOf } from './protocol/messages.ts';

/** Rejects an empty batch, and a batch under another revision. @throws RpcFault */
export function assertBatch(items: readonly Json[], version: string | undefined): void {
  if (items.length === 0) throw new RpcFault(mcpCodes.invalidRequest, 'The batch is empty; send at least one message.');
  if (version === batchVersion) return;
  const found = version === undefined ? 'no revision' : `revision ${version.slice(0, 40)}`;
  const message = `Found a batch under ${found}; only ${batchVersion} has batches. Send one message per request.`;
  throw new RpcFault(mcpCodes.invalidRequest, message);
}

/** Answers each message with `post` and returns the responses as one array. @param post answers one message. */
export async function batchReply(items: readonly Json[], post: (item: Json) => Promise<McpReply>): Promise<McpReply> {
  const replies = await Promise.all(items.map((item) => responseTo(item, post)));
  const body = replies.flatMap((reply) => (reply === undefined ? [] : [reply]));
  return body.length === 0 ? { status: 202, headers: {} } : { status: 200, headers: {}, body };
}

async function responseTo(item: Json, post: (item: Json) => Promise<McpReply>): Promise<JsonObject | undefined> {
  if (isObject(item) && item.method === 'initialize') {
    const message = 'initialize cannot be part of a batch. Send it as a message of its own first.';
    return responseOf(requestIdOf(item), { error: { code: mcpCodes.invalidRequest, message } });
  }
  const reply = await post(item);
  if (reply.body !== undefined) return reply.body as JsonObject;
  let last: JsonObject | undefined;
  for await (const message of reply.messages ?? []) if (message.method === undefined) last = message;
  return last;
}
