/** Checks that every provider response is a JSON object and not an error in disguise. */

import { GatewayError } from '#core/kernel/errors.ts';
import { assertBounded, type Json, type JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import type { FaultReason } from './ports.ts';

/** Response that is not a valid reply. Its message names the defect without quoting the response. */
export class BadReply extends Error {
  override readonly name = 'BadReply';
}

/** Refusal that a provider reports in a reply with status 200, or within a stream. */
export class ReportedError extends BadReply {
  readonly status: number;
  readonly error: JsonObject;

  constructor(message: string, status: number, error: JsonObject) {
    super(message);
    this.status = status;
    this.error = error;
  }
}

/** Request that this provider type cannot express; the message is for the caller. */
export class UnfitRequest extends Error {
  override readonly name = 'UnfitRequest';
  /** Error for the caller, if it is more specific than the message. */
  readonly refusal: GatewayError | undefined;

  constructor(message: string, refusal?: GatewayError) {
    super(message);
    this.refusal = refusal;
  }
}

/** Converts a translation refusal into an error for a request that the provider cannot express. */
export const asUnfitRequest = (thrown: unknown): unknown =>
  thrown instanceof GatewayError ? new UnfitRequest(thrown.message, thrown) : thrown;

/** Maximum nesting and number of values in a valid reply, because processing a value costs more than its characters. */
export const replyBounds = { nesting: 256, values: 200_000 } as const;

/** Parses a reply. @throws BadReply if the text is not a JSON object or exceeds the reply limits. */
export function parseObject(text: string): JsonObject {
  let value: Json;
  try {
    assertBounded(text, replyBounds);
  } catch {
    throw new BadReply(
      `it nests deeper than ${replyBounds.nesting} levels or contains more than ${replyBounds.values} values`,
    );
  }
  try {
    value = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text) as Json;
  } catch {
    throw new BadReply(`it is not JSON (${text.length} characters)`);
  }
  if (!isObject(value)) throw new BadReply('it is not a JSON object');
  return value;
}

/** Refuses an error sent with a success status. @throws BadReply */
export function refuseError(message: JsonObject): void {
  const { error } = message;
  if (error === undefined || error === null) return;
  const reported = isObject(error) ? error : {};
  const kind = reported.type ?? reported.code;
  const found = `it reports an error${typeof kind === 'string' ? ` of type ${kind.slice(0, 64)}` : ''}`;
  const status = statusOf(reported);
  throw status === undefined ? new BadReply(found) : new ReportedError(found, status, reported);
}

/** Returns the status that a reported error is equivalent to, or undefined if the error does not indicate one. */
function statusOf({ type, code }: JsonObject): number | undefined {
  const words = [type, code].filter((word) => word !== undefined);
  const known = words.map((word) => waiting.get(word!)).find((status) => status !== undefined);
  if (known !== undefined) return known;
  if (words.includes('invalid_request_error') || words.includes('context_length_exceeded')) return 400;
  const status = Number(code);
  return Number.isInteger(status) && status >= 400 && status <= 599 ? status : undefined;
}

/** Words that providers use for temporary refusals, with the equivalent status. */
const waiting: ReadonlyMap<Json, number> = new Map<Json, number>([
  ...(['overloaded_error', 'service_unavailable', 'service_unavailable_error', 529, '529'] as const).map(
    (word) => [word, 529] as const,
  ),
  ...([503, '503'] as const).map((word) => [word, 503] as const),
  ...(['rate_limit_error', 'rate_limit_exceeded', 'insufficient_quota', 429, '429'] as const).map(
    (word) => [word, 429] as const,
  ),
]);

/** Returns the reason, in addition to the status, that a provider's error type and code give. */
export function reasonOf(words: readonly (Json | undefined)[]): FaultReason | undefined {
  if (words.some((word) => word === 'insufficient_quota' || word === 'billing_hard_limit_reached')) return 'quota';
  return words.includes('model_not_found') ? 'no_model' : undefined;
}

/** Omits undefined members from an object. */
export const defined = (members: Record<string, Json | undefined>): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as JsonObject;
