/** What every provider's answer must be before it is believed: JSON, an object, and no error in disguise. */
import { isObject } from '#core/dialects/wire.ts';
import { assertBounded, type Json, type JsonObject } from '#core/kernel/json.ts';

/** An answer that is not a reply. Its message names the defect and quotes nothing. */
export class BadReply extends Error {
  override readonly name = 'BadReply';
}

/** A request this kind of provider cannot be given; the message is for the caller. */
export class UnfitRequest extends Error {
  override readonly name = 'UnfitRequest';
}

/** As large as a reply is that says something: work on a value costs more than its characters. */
export const replyBounds = { nesting: 256, values: 200_000 } as const;

/** @throws BadReply for text that is not a JSON object, or holds more than a reply may. */
export function parseObject(text: string): JsonObject {
  let value: Json;
  try {
    assertBounded(text, replyBounds);
  } catch {
    throw new BadReply(
      `it nests deeper than ${replyBounds.nesting} levels or holds more than ${replyBounds.values} values`,
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

/** @throws BadReply where a provider reports an error under a status of success. */
export function refuseError(message: JsonObject): void {
  const { error } = message;
  if (error === undefined || error === null) return;
  const kind = isObject(error) ? (error.type ?? error.code) : undefined;
  throw new BadReply(`it reports an error${typeof kind === 'string' ? ` of type ${kind.slice(0, 64)}` : ''}`);
}

/** An object without the members that are undefined. */
export const defined = (members: Record<string, Json | undefined>): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as JsonObject;
