/**
 * Tool call ids that carry members their vendor requires to be sent back with the history, such as Gemini's thought
 * signature. The messages and responses APIs cannot express these members, and the gateway stores no state for chats,
 * but every client returns ids [chat.translated-members].
 */
import { sha256 } from '#core/kernel/canonical.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject, objectOf } from '#core/kernel/narrow.ts';
import type { EmbeddedText } from './embedded.ts';

const mark = '__with__';
const carrying = /^(.*?)__with__([A-Za-z0-9_-]+)$/s;

/** Members of a call and its function that every dialect can express. */
const ofCalls: ReadonlySet<string> = new Set(['id', 'type', 'index', 'function', 'custom']);
const ofFunctions: ReadonlySet<string> = new Set(['name', 'arguments', 'input', 'parameters', 'description']);

/** Returns the id for a chat completion's call, with the call's vendor-specific members encoded in it. */
export function idCarrying(id: string, call: JsonObject): string {
  const members = vendorMembers(call);
  return members === undefined ? id : id + mark + toBase64Url(JSON.stringify(members));
}

/** Returns a call's vendor-specific members, or undefined if it has none. */
export function vendorMembers(call: JsonObject): JsonObject | undefined {
  const form = call.custom === undefined ? 'function' : 'custom';
  const inner = withoutMembers(objectOf(call[form]) ?? {}, ofFunctions);
  const outer = withoutMembers(call, ofCalls);
  const members = { ...outer, ...(Object.keys(inner).length > 0 && { [form]: inner }) };
  return Object.keys(members).length === 0 ? undefined : members;
}

/**
 * Checks a later piece of a streamed call, whose id was already sent.
 * @throws GatewayError `provider_error` for a member that the id does not carry, because the vendor refuses the history
 * without it.
 */
export function refuseLate(fragment: JsonObject, carried: JsonObject = {}): void {
  for (const [name, value] of Object.entries(vendorMembers(fragment) ?? {}))
    if (JSON.stringify(carried[name]) !== JSON.stringify(value))
      throw new GatewayError(
        'provider_error',
        `The provider sent ${name.slice(0, 64)} of a tool call after the start of the call, so it cannot be passed on in a stream of this form. Send the request without stream, or to /v1/chat/completions.`,
      );
}

/** Returns the vendor's original id of a call, or the id unchanged if it carries nothing. */
export const vendorId = (id: string): string => decodeCallId(id)?.id ?? id;

/**
 * Returns a call with its vendor's id and members restored. The id comes from the caller, so its contents never replace
 * any part of the call.
 */
export function withVendorMembers(call: JsonObject): JsonObject {
  const carried = typeof call.id === 'string' ? decodeCallId(call.id) : undefined;
  if (!carried) return call;
  const form = call.custom === undefined ? 'function' : 'custom';
  const inner = withoutMembers(objectOf(carried.members[form]) ?? {}, ofFunctions);
  return {
    ...call,
    ...withoutMembers(carried.members, ofCalls),
    id: carried.id,
    [form]: { ...objectOf(call[form]), ...inner },
  };
}

/**
 * Returns a call id within the character set and length that Anthropic and Converse accept; other providers use ids
 * such as `functions.get:0`. Distinct ids stay distinct.
 */
export function portableId(id: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(id)) return id;
  return `${id.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 50)}_${sha256(id).slice(0, 12)}`;
}

/** Returns the content carried by an id, as text for filters, or undefined if the id carries nothing. */
export function embeddedId(id: string): EmbeddedText | undefined {
  const carried = decodeCallId(id);
  return (
    carried && {
      read: () => JSON.stringify(carried.members),
      write: (changed) => carried.id + mark + toBase64Url(changed),
    }
  );
}

const toBase64Url = (text: string): string => Buffer.from(text, 'utf8').toString('base64url');

function decodeCallId(id: string): { readonly id: string; readonly members: JsonObject } | undefined {
  const [, own, payload] = carrying.exec(id) ?? [];
  if (own === undefined || payload === undefined) return undefined;
  try {
    const members = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Json;
    return isObject(members) ? { id: own, members } : undefined;
  } catch {
    return undefined;
  }
}

/** Removes members by name regardless of letter case, because some servers ignore case. */
const withoutMembers = (members: JsonObject, names: ReadonlySet<string>): JsonObject =>
  Object.fromEntries(
    Object.entries(members).filter(
      ([name, value]) => value !== null && name !== '__proto__' && !names.has(name.toUpperCase().toLowerCase()),
    ),
  );
