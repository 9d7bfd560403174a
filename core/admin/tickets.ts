/** Capability tickets: list those still good, and revoke (spec §2.6; contract §7). The tickets themselves are not kept. */

import { GatewayError, notFound } from '#core/kernel/errors.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { TicketStore } from '#core/tickets/ports.ts';
import { cursorOf, limitOf, type Operation } from './operation.ts';
import type { GatewayPorts } from './ports.ts';
import { recordAct } from './record.ts';

export const listTickets: Operation = async ({ ports, principal, query }) => {
  const now = isoTime(ports.clock.now());
  const page = await storeOf(ports).active(principal.tenant, now, { limit: limitOf(query), ...cursorOf(query) });
  return { body: { tickets: page.items, ...(page.cursor && { cursor: page.cursor }) } };
};

/** The act is written down first: a revocation without its evidence is worse than one that was attempted. */
export const revokeTicket: Operation = async (call) => {
  const { ports, principal, params } = call;
  const store = storeOf(ports);
  const id = params.id ?? '';
  const ticket = await store.get(principal.tenant, id);
  if (!ticket) throw notFound(`Ticket ${id}`);
  const now = isoTime(ports.clock.now());
  if (ticket.revoked_at || ticket.used_at || ticket.expires_at <= now) throw spent(id);
  const { envelope_id, tool, resource } = ticket;
  await recordAct(call, 'ticket.revoke', { ticket: { id, envelope_id, tool, resource } });
  if (!(await store.revoke(principal.tenant, id, now))) throw spent(id);
  return { body: { ...ticket, revoked_at: now } };
};

const spent = (id: string) => new GatewayError('conflict', `Ticket ${id} is already used, revoked or expired.`);

function storeOf({ tickets }: GatewayPorts): TicketStore {
  if (tickets) return tickets;
  throw new GatewayError('service_unavailable', 'This gateway keeps no capability tickets.');
}
