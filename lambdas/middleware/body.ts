/** Parses request bodies: exact bytes, limited size, validated content type, strict JSON. */

import { isUtf8 } from 'node:buffer';
import type { Principal } from '#core/configuration/identity/principal.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import { sizes } from '#core/contracts/envelope.ts';
import type { HttpEvent } from '#core/contracts/http.ts';
import type { Route } from '#core/contracts/route.ts';
import { requireUtf8 } from '#core/kernel/charset.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import { type Json, type JsonObject, type JsonRules, parseStrictBytes, parseStrictInTurns } from '#core/kernel/json.ts';
import { remembered } from '#core/kernel/remembered.ts';

type BodyLimit = Pick<Route, 'maxBodyBytes'>;

/** Returns the event with a raw body. */
export function withBytes(event: HttpEvent, bytes: Buffer): HttpEvent {
  if (bytes.length === 0) return event;
  const whole: HttpEvent = { ...event, bytes, isBase64Encoded: !isUtf8(bytes) };
  headersByName.know(whole, headersByName(event));
  return whole;
}

export const rawBody = (event: HttpEvent): Buffer =>
  event.bytes ?? Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');

/** Returns the maximum body size of an admin operation or a callback, in bytes. */
export const maxBytesOf = ({ maxBodyBytes = sizes.envelopeBytes }: BodyLimit): number => maxBodyBytes;

export function boundedBody(event: HttpEvent, route: BodyLimit): Buffer {
  const bytes = rawBody(event);
  const most = maxBytesOf(route);
  if (bytes.length > most) {
    throw new GatewayError(
      'payload_too_large',
      `The body has ${bytes.length} bytes; this route takes at most ${most}.`,
    );
  }
  return bytes;
}

/** Returns the limit in bytes. The tenant's limit may be lower than the server's. */
export function bodyLimitOf({ configuration }: Pick<Snapshot, 'configuration'>, principal: Principal): number {
  const own = configuration.tenants.find(({ id }) => id === principal.tenant)?.max_body_bytes;
  return Math.min(configuration.server.max_body_bytes, own ?? Number.POSITIVE_INFINITY);
}

/** Returns the body of a chat or MCP request. The limit applies to the bytes received. */
export function boundedCallBody(event: HttpEvent, { configuration }: Snapshot, principal: Principal): Buffer {
  const bytes = rawBody(event);
  const most = bodyLimitOf({ configuration }, principal);
  if (bytes.length <= most) return bytes;
  throw new GatewayError('payload_too_large', `The body has ${bytes.length} bytes; at most ${most} are accepted.`);
}

/** Parses an admin request's body. */
export const jsonBody = (event: HttpEvent, route: BodyLimit): JsonObject =>
  jsonObject(event, boundedBody(event, route));

/**
 * Parses a JSON object.
 * @throws GatewayError 415 for another content type or charset, 400 for anything but one strict JSON object.
 */
export function jsonObject(event: HttpEvent, bytes: Uint8Array, rules: JsonRules = {}): JsonObject {
  if (bytes.length === 0) return {};
  requireType(event, ['application/json']);
  return objectIn(parseStrictBytes(bytes, rules));
}

/** Parses a large JSON object with pauses for other requests. @throws GatewayError like `jsonObject`. */
export async function jsonObjectInTurns(
  event: HttpEvent,
  bytes: Uint8Array,
  rules: JsonRules,
  turn: () => Promise<void>,
): Promise<JsonObject> {
  if (bytes.length === 0) return {};
  requireType(event, ['application/json']);
  return objectIn(await parseStrictInTurns(bytes, rules, turn));
}

function objectIn(value: Json): JsonObject {
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value;
  const found = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
  throw invalidRequest(`The body is ${found}; send one JSON object.`);
}

/** Returns a YAML or JSON document as text. */
export function textBody(event: HttpEvent, route: BodyLimit): string {
  const bytes = boundedBody(event, route);
  requireType(event, ['application/json', 'application/yaml', 'application/x-yaml', 'text/yaml', 'text/plain']);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new GatewayError('invalid_request', 'The body is not valid UTF-8. Send text encoded in UTF-8.', { cause });
  }
}

/** @throws GatewayError 415 for another content type or charset, or for a compressed body. */
export function requireType(event: HttpEvent, allowed: readonly string[]): void {
  const encoding = headerOf(event, 'content-encoding')?.trim() ?? '';
  if (!/^(?:identity)?$/i.test(encoding)) {
    const found = JSON.stringify(encoding.slice(0, 64));
    throw new GatewayError(
      'unsupported_media_type',
      `Content-Encoding is ${found}; send the body without compression.`,
    );
  }
  const given = headerOf(event, 'content-type') ?? '';
  const type = given.split(';')[0]?.trim().toLowerCase() ?? '';
  if (!allowed.includes(type)) {
    const found = type === '' ? 'missing' : JSON.stringify(type.slice(0, 64));
    throw new GatewayError('unsupported_media_type', `Content-Type is ${found}; send ${allowed[0]}.`);
  }
  requireUtf8(given);
}

export function headerOf(event: HttpEvent, name: string): string | undefined {
  const values = headerValues(event, name);
  if (values.length > 1 && new Set(values).size > 1)
    throw invalidRequest(`The header ${name} is given more than once with different values; send it once.`);
  return values[0];
}

/** Returns all values of a header, by case-insensitive name. */
export const headerValues = (event: HttpEvent, name: string): readonly string[] =>
  headersByName(event).get(name) ?? noValues;

const noValues: readonly string[] = [];

/**
 * Indexes an event's headers, because handlers read about a dozen. Spellings that differ only in case are the same
 * header.
 */
const headersByName = remembered(
  ({ headers, multiValueHeaders }: HttpEvent): ReadonlyMap<string, readonly string[]> => {
    const known = new Map<string, readonly string[]>();
    for (const key of Object.keys(multiValueHeaders ?? {})) {
      const name = key.toLowerCase();
      const values = multiValueHeaders![key];
      const before = known.get(name);
      if (values) known.set(name, before ? [...before, ...values] : values);
    }
    for (const key of Object.keys(headers ?? {})) {
      const name = key.toLowerCase();
      const value = headers![key];
      if (value !== undefined && !known.has(name)) known.set(name, [value]);
    }
    return known;
  },
);
