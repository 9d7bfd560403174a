/** Capability tickets: list valid ones, redeem, revoke. The tickets themselves are not stored. */

import { personActor } from '#core/configuration/identity/principal.ts';
import { redeemSchema } from '#core/contracts/admin-requests.ts';
import { type CredentialAct, credentialDraft } from '#core/execution/credentials/entries.ts';
import { ticketKeys } from '#core/execution/tickets/keys.ts';
import type { TicketClaims } from '#core/execution/tickets/ticket.ts';
import { redeemTicket as redeem, ticketRefused } from '#core/execution/tickets/tickets.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { notFound } from '#core/kernel/not-found.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { followRisk, noteOfSignal } from '#core/session/risk/assess.ts';
import { maskSecrets } from '#core/text/secrets/masked.ts';
import { type Call, cursorOf, limitOf, type Operation, parseBySchema } from './operation.ts';
import { recordAct } from './record.ts';

export const listTickets: Operation = async ({ ports, principal, query }) => {
  const now = isoTime(ports.clock.now());
  const page = await ports.tickets.active(principal.tenant, now, { limit: limitOf(query), ...cursorOf(query) });
  return { body: { tickets: page.items, ...(page.cursor && { cursor: page.cursor }) } };
};

/**
 * Revokes a ticket. The revocation is recorded first, because a revocation without evidence is worse than a recorded
 * one that fails.
 */
export const revokeTicket: Operation = async (call) => {
  const { ports, principal, params } = call;
  const store = ports.tickets;
  const id = params.id ?? '';
  const ticket = await store.get(principal.tenant, id);
  if (!ticket) throw notFound({ noun: 'ticket', list: 'GET /admin/v1/tickets' }, id);
  const now = isoTime(ports.clock.now());
  if (ticket.revoked_at || ticket.used_at || ticket.expires_at <= now) throw ticketConflict(id);
  const { envelope_id, tool, resource } = ticket;
  await recordAct(call, 'ticket.revoke', { ticket: { id, envelope_id, tool, resource: maskSecrets(resource) } });
  if (!(await store.revoke(principal.tenant, id, now))) throw ticketConflict(id);
  return { body: { ...ticket, revoked_at: now } };
};

/**
 * Redeems a ticket for a service, which sends its intended action. The ticket is redeemed before this is recorded. If
 * the service gets no response, it may not act, but the ticket is used up.
 */
export const redeemTicket: Operation = async (call) => {
  const { ports, principal, snapshot } = call;
  const { ticket, ...use } = parseBySchema(redeemSchema, call.body());
  const { tenant } = principal;
  const { behavior } = snapshot.configuration;
  const keys = () => ticketKeys(snapshot.configuration, ports.secrets);
  const claims = await redeem({ ...ports, keys, tickets: ports.tickets }, ticket, { tenant, ...use }, (of, how) =>
    record(call, of, {
      action: 'refuse',
      reason: `ticket_${how}`,
      ...(behavior.enabled && { behavior: noteOfSignal(behavior, 'misused', `ticket ${of.id}`) }),
    }),
  );
  await record(call, claims, { action: 'redeem' });
  const { id, envelope_id, approval_id, tool, resource, capability, policy_version, expires_ms } = claims;
  const expires_at = isoTime(expires_ms);
  return { body: { id, envelope_id, approval_id, tool, resource, capability, policy_version, expires_at } };
};

/** Records the act in the session of the action for which the ticket was issued. */
async function record({ ports, principal }: Call, { id }: TicketClaims, act: CredentialAct): Promise<void> {
  const credential = await ports.credentials.get(principal.tenant, id);
  if (!credential) throw ticketRefused('unknown');
  const head = await ports.evidence.head(credential.tenant, credential.session_id);
  const draft = credentialDraft(credential, act, personActor(principal), isoTime(ports.clock.now()));
  const outcome = await ports.ledger.commit({ draft, head: head ?? null });
  if (!outcome.ok) throw new Error('a change to a ticket carries no conditions');
  // This is not counted against the service's own key.
  await followRisk(ports, outcome.entry, { before: head?.risk, key: undefined, scored: false });
}

const ticketConflict = (id: string) =>
  new GatewayError(
    'conflict',
    `Ticket ${id} is already used, revoked or expired, so nothing was changed. Request a new ticket for another use.`,
  );
