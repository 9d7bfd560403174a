/**
 * Capability tickets: one use of one tool on one resource for one allowed action, signed with HMAC-SHA256. The
 * text is `agt1.<payload>.<mac>`, both base64url; pure: who presented it before is the store's to know.
 */
import type { TicketKey, TicketKeys } from './keys.ts';
import { type SealDefect, seal, unseal } from './sealed.ts';

export interface TicketClaims {
  readonly id: string;
  /** Id of the signing key. */
  readonly key_id: string;
  /** Unguessable; redeemed at the first use. */
  readonly nonce: string;
  readonly tenant: string;
  readonly envelope_id: string;
  /** The approval that allowed the action, where one did. */
  readonly approval_id?: string;
  /** The envelope's target, as it is. */
  readonly resource: string;
  readonly tool: string;
  readonly capability: string;
  readonly policy_version: number;
  /** Milliseconds since the epoch. */
  readonly issued_ms: number;
  readonly expires_ms: number;
}

/** What the ticket has to be for, as the service that is about to act knows it. */
export interface TicketUse {
  readonly tenant: string;
  /** Absent where the service does not know it: the ticket then says which action it is for. */
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
  /** `claims` where the signature holds: whose ticket was misused. */
  | { readonly ok: false; readonly defect: TicketDefect; readonly claims?: TicketClaims };

/** Issuer and verifier may run on different machines. */
const ticketSkewMs = 5_000;
/** Beyond any ticket: names have 256 characters, targets 4 kB. */
const longestTicket = 16 * 1024;
const prefix = 'agt1';

/** @param claims its `key_id` is the key's. */
export const signTicket = (claims: Omit<TicketClaims, 'key_id'>, key: TicketKey): string => seal(prefix, claims, key);

/** Never throws. The signature comes before anything the payload says, its key's id excepted. */
export function verifyTicket(text: string, use: TicketUse, keys: TicketKeys, nowMs: number): TicketCheck {
  const opened = unseal(prefix, text, keys, longestTicket);
  if (!opened.ok) return defect(opened.defect);
  const claims: Partial<TicketClaims> = opened.payload;
  if (!isClaims(claims)) return defect('malformed');
  const wrong = misuse(claims, use) ?? untimely(claims, nowMs);
  return wrong ? { ...defect(wrong), claims } : { ok: true, claims };
}

const defect = (found: TicketDefect) => ({ ok: false, defect: found }) as const;

const texts = ['id', 'key_id', 'nonce', 'tenant', 'envelope_id', 'resource', 'tool', 'capability'] as const;
const numbers = ['policy_version', 'issued_ms', 'expires_ms'] as const;

/** Signed by us, yet perhaps by another release. */
const isClaims = (claims: Partial<TicketClaims>): claims is TicketClaims =>
  texts.every((name) => typeof claims[name] === 'string') && numbers.every((name) => Number.isFinite(claims[name]));

function misuse(claims: TicketClaims, use: TicketUse): TicketDefect | undefined {
  if (claims.tenant !== use.tenant) return 'wrong_tenant';
  if (use.envelope_id !== undefined && claims.envelope_id !== use.envelope_id) return 'wrong_envelope';
  if (claims.resource !== use.resource) return 'wrong_resource';
  if (claims.tool !== use.tool || claims.capability !== use.capability) return 'wrong_verb';
  return undefined;
}

function untimely({ issued_ms, expires_ms }: TicketClaims, nowMs: number): TicketDefect | undefined {
  if (nowMs < issued_ms - ticketSkewMs) return 'not_yet_valid';
  return nowMs >= expires_ms ? 'expired' : undefined;
}
