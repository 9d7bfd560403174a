/**
 * Capability tickets. Each allows one use of one tool on one resource for one allowed action, and is signed with
 * HMAC-SHA256. A ticket is the string `agt1.<payload>.<mac>`, with payload and MAC in base64url. Pure: the store tracks
 * earlier uses.
 */
import type { TicketKey, TicketKeys } from './keys.ts';
import { type SealDefect, seal, unseal } from './sealed.ts';

export interface TicketClaims {
  readonly id: string;
  /** Id of the signing key. */
  readonly key_id: string;
  /** Unguessable value, redeemed on first use. */
  readonly nonce: string;
  readonly tenant: string;
  readonly envelope_id: string;
  /** The approval that allowed the action, if any. */
  readonly approval_id?: string;
  /** The envelope's target, unchanged. */
  readonly resource: string;
  readonly tool: string;
  readonly capability: string;
  readonly policy_version: number;
  /** Milliseconds since the epoch. */
  readonly issued_ms: number;
  readonly expires_ms: number;
}

/** The use for which a service presents the ticket. */
export interface TicketUse {
  readonly tenant: string;
  /** Absent if the service does not know the envelope; the ticket then names the action. */
  readonly envelope_id?: string | undefined;
  readonly resource: string;
  readonly tool: string;
  readonly capability: string;
}

export type TicketDefect =
  | SealDefect
  | 'wrong_tenant'
  | 'wrong_envelope'
  | 'wrong_resource'
  | 'wrong_verb'
  | 'not_yet_valid'
  | 'expired';

type TicketCheck =
  | { readonly ok: true; readonly claims: TicketClaims }
  /** Refusal. `claims` is present if the signature is valid, to identify the misused ticket. */
  | { readonly ok: false; readonly defect: TicketDefect; readonly claims?: TicketClaims };

/** Allowed clock skew between issuer and verifier. */
const ticketSkewMs = 5_000;
/** Limit longer than any ticket: names have at most 256 characters, targets at most 4 kB. */
const longestTicket = 16 * 1024;
const prefix = 'agt1';

/** Signs a ticket. @param claims claims to sign; the key's id is added to them as `key_id`. */
export const signTicket = (claims: Omit<TicketClaims, 'key_id'>, key: TicketKey): string => seal(prefix, claims, key);

/**
 * Verifies a ticket for a use. Never throws. Apart from the key id, the payload is not used before the signature is
 * verified.
 */
export function verifyTicket(text: string, use: TicketUse, keys: TicketKeys, nowMs: number): TicketCheck {
  const opened = unseal(prefix, text, keys, longestTicket);
  if (!opened.ok) return defect(opened.defect);
  const claims: Partial<TicketClaims> = opened.payload;
  if (!isClaims(claims)) return defect('malformed');
  const wrong = misuse(claims, use) ?? timeDefect(claims, nowMs);
  return wrong ? { ...defect(wrong), claims } : { ok: true, claims };
}

const defect = (found: TicketDefect) => ({ ok: false, defect: found }) as const;

const texts = ['id', 'key_id', 'nonce', 'tenant', 'envelope_id', 'resource', 'tool', 'capability'] as const;
const numbers = ['policy_version', 'issued_ms', 'expires_ms'] as const;

/** Checks the claims' types, since the ticket may have been signed by another release. */
const isClaims = (claims: Partial<TicketClaims>): claims is TicketClaims =>
  texts.every((name) => typeof claims[name] === 'string') && numbers.every((name) => Number.isFinite(claims[name]));

function misuse(claims: TicketClaims, use: TicketUse): TicketDefect | undefined {
  if (claims.tenant !== use.tenant) return 'wrong_tenant';
  if (use.envelope_id !== undefined && claims.envelope_id !== use.envelope_id) return 'wrong_envelope';
  if (claims.resource !== use.resource) return 'wrong_resource';
  if (claims.tool !== use.tool || claims.capability !== use.capability) return 'wrong_verb';
  return undefined;
}

function timeDefect({ issued_ms, expires_ms }: TicketClaims, nowMs: number): TicketDefect | undefined {
  if (nowMs < issued_ms - ticketSkewMs) return 'not_yet_valid';
  return nowMs >= expires_ms ? 'expired' : undefined;
}
