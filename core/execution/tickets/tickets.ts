/** The life of a capability ticket: issued for an allowed action, presented once, or revoked before. */
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
  /** As they stand now; see `ticketKeys`. */
  readonly keys: () => Promise<TicketKeys>;
}

interface IssuedTicket {
  readonly record: TicketRecord;
  /** The ticket itself: handed to the executor, never stored, logged or answered. */
  readonly text: string;
}

const nonceBytes = 16;

/** @throws GatewayError `service_unavailable` without a key or a store: nothing was issued. */
export async function issueTicket(
  ports: TicketPorts,
  envelope: ActionEnvelope,
  allowed: {
    /** @default a fresh one */
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

/** Of a ticket as it was issued: evidence names it, so that a row that was changed is found [evidence.in-force]. */
export const ticketDigest = ({ used_at: _used, revoked_at: _revoked, ...issued }: TicketRecord): string =>
  digestOf(issued);

/** What an action may present a ticket for: itself. */
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

/** Why a ticket was turned away: a defect of its own, or what had become of it. */
type TicketRefusal = TicketDefect | Exclude<Redemption, 'redeemed'>;

const sentences: Readonly<Record<TicketRefusal, string>> = {
  malformed: 'it is not a ticket by its form',
  unknown_key: 'it is signed with a key that is not in use',
  altered: 'its signature does not belong to it',
  wrong_tenant: 'it is for another tenant',
  wrong_envelope: 'it is for another action',
  wrong_resource: 'it is for another resource',
  wrong_verb: 'it is for another tool or capability',
  not_yet_valid: 'it is not valid yet',
  expired: 'it has expired',
  revoked: 'it was revoked',
  replayed: 'it was used before',
  unknown: 'it is in no register',
};

/** Late or twice can be a mistake of the network's; another purpose is not. */
const misuses: readonly TicketDefect[] = ['wrong_envelope', 'wrong_resource', 'wrong_verb'];

/**
 * Presents a ticket: verified, then redeemed, so that it works once.
 * @param misused called for a good ticket of this tenant that was presented for something else, before it is refused.
 * @throws GatewayError `forbidden` with the refusal in `data.reason` as `ticket_<refusal>`; `service_unavailable` when the
 * store does not answer: whether the ticket is redeemed is then unknown, and nothing may be done with it.
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
