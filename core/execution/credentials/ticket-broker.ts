/**
 * Ticket broker: issues the gateway's own capability tickets for services that act only on governed calls. A ticket is
 * sent with the call like any other credential. The service redeems it once, for exactly the call it was issued for.
 */
import type { Configuration } from '#core/contracts/config.ts';
import { ticketKeys } from '#core/execution/tickets/keys.ts';
import { issueTicket, ticketDigest } from '#core/execution/tickets/tickets.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { unavailable } from './fault.ts';
import type { BrokerPorts, CredentialBroker } from './ports.ts';
import { dueAfterHolder, newRecord } from './record.ts';

/** Returns the broker. @param configuration holds the ticket key and the maximum ticket lifetime. */
export function ticketBroker(
  { name }: { readonly name: string },
  configuration: Pick<Configuration, 'credentials'>,
  ports: BrokerPorts,
): CredentialBroker {
  const longestSeconds = configuration.credentials.tickets.ttl_seconds;
  const kind = { type: 'capability_ticket', degraded: false, longestSeconds };
  const keys = () => ticketKeys(configuration, ports.secrets);
  const kept = () => {
    if (ports.tickets) return ports.tickets;
    throw unavailable(name, 'this function cannot store capability tickets');
  };
  return {
    name,

    async issue(envelope, grant, { policyVersion, approvalId } = {}) {
      if (policyVersion === undefined) throw unavailable(name, 'the policy that allowed the action is not named');
      const record = newRecord(ports, envelope, grant, kind);
      const { text, record: ticket } = await issueTicket({ ...ports, keys, tickets: kept() }, envelope, {
        id: record.id,
        policyVersion,
        ...(approvalId !== undefined && { approvalId }),
        ttlSeconds: Math.min(grant.ttl_seconds, longestSeconds),
      });
      return {
        record: { ...record, ticket_sha256: ticketDigest(ticket), revoke_due: dueAfterHolder(record) },
        secret: text,
      };
    },

    /** Revokes the ticket. Has no effect if the ticket is already used or revoked. */
    async revoke({ tenant, id }) {
      await kept().revoke(tenant, id, isoTime(ports.clock.now()));
    },
  };
}
