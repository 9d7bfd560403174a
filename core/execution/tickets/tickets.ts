/** Lifecycle of capability tickets: each is issued for an allowed action, and then presented once or revoked. */
import type { TicketRecord } from '#core/contracts/credential.ts';
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { type Clock, type Ids, isoTime } from '#core/kernel/ports.ts';
import type { TicketKeys } from './keys.ts';
import type { Redemption, TicketStore } from './ports.ts';
import { signTicket, type TicketClaims, type TicketDefect, type TicketUse, verifyTicket } from './ticket.ts';

interface TicketPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly tickets: TicketStore;
  /** Returns the current keys; see `ticketKeys`. */
  readonly keys: () => Promise<TicketKeys>;
}

interface IssuedTicket {
  readonly record: TicketRecord;
  /** The ticket itself: given to the executor, never stored, logged or returned. */
  readonly text: string;
}

const nonceBytes = 16;

/**
 * Issues a ticket. @throws GatewayError `service_unavailable` if there is no key or store, in which case no ticket is
 * issued.
 */
export async function issueTicket(
  ports: TicketPorts,
  envelope: ActionEnvelope,
  allowed: {
    /** @default a new one */
    readonly id?: string;
    readonly policyVersion: number;
    readonly approvalId?: string;
    readonly ttlSeconds: number;
  },
): Promise<IssuedTicket> {
  const { current } = await ports.keys();
  const issued_ms = ports.clock.now();
  const claims: Omit<TicketClaims, 'key_id'> = {
    id: allowed.id ?? ports.ids.uuid(),
    nonce: ports.ids.randomHex(nonceBytes),
    ...useOf(envelope),
    ...(allowed.approvalId !== undefined && { approval_id: allowed.approvalId }),
    policy_version: allowed.policyVersion,
    issued_ms,
    expires_ms: issued_ms + allowed.ttlSeconds * 1000,
  };
  const { issued_ms: _, expires_ms, ...kept } = claims;
  const record: TicketRecord = {
    ...kept,
    session_id: envelope.actor.session,
    key_id: current.id,
    issued_at: isoTime(issued_ms),
    expires_at: isoTime(expires_ms),
  };
  await ports.tickets.put(record);
  return { record, text: signTicket(claims, current) };
}

/**
 * Returns the digest of an issued ticket. Evidence records it, so that a changed row is detected [evidence.in-force].
 */
export const ticketDigest = ({ used_at: _used, revoked_at: _revoked, ...issued }: TicketRecord): string =>
  digestOf(issued);

/** Returns the only use for which an action may present a ticket: the action itself. */
export const useOf = ({
  tenant,
  envelope_id,
  target,
  tool,
  capability,
}: ActionEnvelope): TicketUse & { readonly envelope_id: string } => ({
  tenant,
  envelope_id,
  resource: target,
  tool,
  capability,
});

/** Reason why a ticket was refused: a defect, or its state. */
type TicketRefusal = TicketDefect | Exclude<Redemption, 'redeemed'>;

const sentences: Readonly<Record<TicketRefusal, string>> = {
  malformed: 'it does not have the form of a ticket',
  unknown_key: 'it is signed with a key that is not in use',
  altered: 'its signature does not match',
  wrong_tenant: 'it is for another tenant',
  wrong_envelope: 'it is for another action',
  wrong_resource: 'it is for another resource',
  wrong_verb: 'it is for another tool or capability',
  not_yet_valid: 'it is not valid yet',
  expired: 'it has expired',
  revoked: 'it was revoked',
  replayed: 'it was used before',
  unknown: 'it is not registered',
};

/** Defects that count as misuse. A late or repeated use does not, since it can result from a network problem. */
const misuses: readonly TicketDefect[] = ['wrong_envelope', 'wrong_resource', 'wrong_verb'];

/**
 * Verifies and redeems a ticket, which works only once.
 * @param misused called before the refusal if a valid ticket of this tenant was presented for something else.
 * @throws GatewayError `forbidden` with `ticket_<refusal>` in `data.reason`; `service_unavailable` if the store does
 * not respond. In the latter case the ticket may have been redeemed, and the service must not act.
 */
export async function redeemTicket(
  ports: TicketPorts,
  text: string,
  use: TicketUse,
  misused?: (claims: TicketClaims, how: TicketDefect) => Promise<void>,
): Promise<TicketClaims> {
  const now = ports.clock.now();
  const check = verifyTicket(text, use, await ports.keys(), now);
  if (!check.ok) {
    if (check.claims && misuses.includes(check.defect)) await misused?.(check.claims, check.defect);
    throw ticketRefused(check.defect);
  }
  const { tenant, id, nonce } = check.claims;
  const redeemed = await ports.tickets.redeem(tenant, id, nonce, isoTime(now));
  if (redeemed !== 'redeemed') throw ticketRefused(redeemed);
  return check.claims;
}

export const ticketRefused = (refusal: TicketRefusal): GatewayError =>
  new GatewayError('forbidden', `The capability ticket was refused: ${sentences[refusal]}.`, {
    data: { reason: `ticket_${refusal}` },
  });
