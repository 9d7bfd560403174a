/**
 * Bounds the work that a server's messages cause on the main thread [limit.hostile]: redacts small messages in place
 * and large requests in a worker, and reduces a large notification to the members that its client needs.
 */
import { type CallWork, isLarge } from '#core/actions/call-work.ts';
import type { GuardSettings, InspectedResult, ResultFinding } from '#core/guard/results.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { mcpCodes, type RequestId, type RpcOutcome } from '../protocol/messages.ts';
import type { inspectResult } from './inspect-result.ts';

/**
 * Inspects a message and forwards it.
 * @param secrets secrets minted for the call.
 * @param guard absent if the guard is off for the server.
 * @param hand forwards the message.
 * @param refuse answers a request that could not be inspected or is withheld. A withheld notification is dropped.
 * @param noted records the findings.
 */
export function forwardMessage(
  message: JsonObject,
  secrets: readonly string[],
  calls: Pick<CallWork, 'lookOver'> | undefined,
  { look, guard, hand, refuse, noted }: MessageHandling,
): void {
  const seen = ({ outcome, findings }: InspectedResult): void => {
    noted(findings);
    if (outcome !== undefined) hand(outcome);
    else if (message.id !== undefined)
      refuse(message.id as RequestId, { error: { code: mcpCodes.internal, message: withheld } });
  };
  const [large, isNotice] = [isLarge(message), message.id === undefined];
  if (!large || isNotice || !calls) {
    seen(look(large && isNotice ? shortenMessage(message) : message, secrets, guard));
    return;
  }
  const late = () => refuse(message.id as RequestId, { error: { code: mcpCodes.internal, message: tooLarge } });
  calls.lookOver(message, secrets, guard).then(seen, late);
}

interface MessageHandling {
  /** Inspection function, loaded before the call so that messages stay in order. */
  readonly look: typeof inspectResult;
  readonly guard: GuardSettings | undefined;
  readonly hand: (message: JsonObject) => void;
  readonly refuse: (id: RequestId, answer: RpcOutcome) => void;
  readonly noted: (findings: readonly ResultFinding[]) => void;
}

const withheld = 'The gateway did not pass the request on: the tool guard found content that its configuration blocks.';
const tooLarge = 'The request is too large for the gateway to check. Send less.';
const leftOut = '[left out by the gateway: the notification is too large]';

/** Returns the small members needed by the protocol. A log message notes that its data was omitted. */
function shortenMessage({ jsonrpc = '2.0', method = '', params }: JsonObject): JsonObject {
  const given = isObject(params) ? params : {};
  const small = ['level', 'logger', 'progressToken', 'progress', 'total', 'uri', 'requestId', 'taskId'].flatMap(
    (name) => (Object.hasOwn(given, name) && !isLarge(given[name], 1024) ? [[name, given[name]!] as const] : []),
  );
  const data = method === 'notifications/message' && { data: leftOut };
  return { jsonrpc, method, params: { ...Object.fromEntries(small), ...data } };
}
