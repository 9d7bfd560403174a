/**
 * What a server says during a call, fit for the thread that answers everyone [limit.heavy-call]: secrets are taken out of small
 * messages in place and of large requests in a worker; a large notification is cut to what its client needs.
 */
import { type CallWork, isLarge } from '#core/actions/call-work.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { isObject, mcpCodes, type RequestId, type RpcOutcome } from '../protocol/messages.ts';
import { redactResult } from './redact-result.ts';

/**
 * @param secrets that were minted for the call.
 * @param hand what becomes of the message.
 * @param refuse called instead, with the answer for the server, for a request whose secrets could not be looked for.
 */
export function handBounded(
  message: JsonObject,
  secrets: readonly string[],
  calls: Pick<CallWork, 'redactResult'> | undefined,
  hand: (message: JsonObject) => void,
  refuse: (id: RequestId, answer: RpcOutcome) => void,
): void {
  if (!isLarge(message)) return void hand(redactResult(message, secrets));
  if (message.id === undefined) return void hand(redactResult(shortened(message), secrets));
  if (!calls) return void hand(redactResult(message, secrets));
  calls.redactResult(message, secrets).then(
    (redacted) => hand(redacted as JsonObject),
    () => refuse(message.id as RequestId, { error: { code: mcpCodes.internal, message: tooLarge } }),
  );
}

const tooLarge = 'The request is too large for the gateway to look it over. Send less.';
const leftOut = '[left out by the gateway: the notification is too large]';

/** Members that the protocol needs, where they are small; a log line says that its data were left out. */
function shortened({ jsonrpc = '2.0', method = '', params }: JsonObject): JsonObject {
  const given = isObject(params) ? params : {};
  const small = ['level', 'logger', 'progressToken', 'progress', 'total', 'uri', 'requestId', 'taskId'].flatMap(
    (name) => (Object.hasOwn(given, name) && !isLarge(given[name], 1024) ? [[name, given[name]!] as const] : []),
  );
  const data = method === 'notifications/message' && { data: leftOut };
  return { jsonrpc, method, params: { ...Object.fromEntries(small), ...data } };
}
