/**
 * Sealed strings of the form `<prefix>.<payload>.<mac>`, with payload and MAC in base64url, signed with HMAC-SHA256
 * under one key per prefix. Holders can read but not change them. Pure.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { TicketKey, TicketKeys } from './keys.ts';

export type SealDefect =
  /** The input does not have the form of a sealed string. */
  'malformed' | 'unknown_key' | 'altered';

type UnsealResult =
  | { readonly ok: true; readonly payload: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly defect: SealDefect };

/** Seals a payload. @param payload content to seal; the key's id is added to it as `key_id`. */
export function seal(prefix: string, payload: object, { id, key }: TicketKey): string {
  const signed = `${prefix}.${Buffer.from(JSON.stringify({ ...payload, key_id: id })).toString('base64url')}`;
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
}

/**
 * Opens a sealed string. Never throws. Apart from the key id, the payload is not used before the signature is verified.
 * @param maxCharacters longer strings are rejected unread.
 */
export function unseal(prefix: string, text: unknown, keys: TicketKeys, maxCharacters: number): UnsealResult {
  const parts = parseSealed(prefix, text, maxCharacters);
  if (!parts) return { ok: false, defect: 'malformed' };
  const { payload, signed, mac } = parts;
  const known = [keys.current, keys.previous].find((key) => key !== undefined && key.id === payload.key_id);
  if (!known) return { ok: false, defect: 'unknown_key' };
  // Compared as text, so that only one encoding of a MAC is valid.
  const expected = createHmac('sha256', known.key).update(signed).digest('base64url');
  if (mac.length !== expected.length || !timingSafeEqual(Buffer.from(mac), Buffer.from(expected)))
    return { ok: false, defect: 'altered' };
  return { ok: true, payload };
}

const form = /^(([a-z0-9]+)\.([A-Za-z0-9_-]+))\.([A-Za-z0-9_-]{43})$/;

function parseSealed(prefix: string, text: unknown, maxCharacters: number) {
  if (typeof text !== 'string' || text.length > maxCharacters) return undefined;
  const [, signed, found, encoded, mac] = form.exec(text) ?? [];
  if (signed === undefined || found !== prefix || encoded === undefined || mac === undefined) return undefined;
  try {
    const payload: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8'));
    if (typeof payload !== 'object' || payload === null) return undefined;
    return { payload: payload as Readonly<Record<string, unknown>>, signed, mac };
  } catch {
    return undefined;
  }
}
