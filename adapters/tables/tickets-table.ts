/**
 * Capability tickets, in the same table as their tenant's credentials. The ticket's text is not stored. Access
 * patterns: one ticket; a tenant's valid tickets (per shard, newest first: ids are UUIDv7); redeem and revoke (update
 * under conditions). A row outlives its ticket by more than any clock skew, so a nonce is never valid twice.
 */

import type { TicketRecord } from '#core/contracts/credential.ts';
import type { Redemption, TicketStore } from '#core/execution/tickets/ports.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { livePage } from './live-page.ts';
import { partitionOf, partitionsOf, shards } from './shards.ts';
import type { Condition, IndexAttributes, Key, StoreOptions } from './store.ts';

const keptSeconds = 30 * 24 * 3600;
/** Longest lifetime of a ticket (the configuration's limit). Tickets issued longer ago cannot be valid. */
const longestLifeMs = 3600 * 1000;

/**
 * Returns the name of a tenant's ticket list. Tenant names contain no `#`, so tickets and credentials never collide.
 */
const ticketList = (tenant: string): string => `ticket#${tenant}`;
const ticketKey = (tenant: string, id: string): Key => ({
  kept_in: partitionOf(ticketList(tenant), id, shards.credentials),
  id,
});

function toRecord({
  kept_in: _kept,
  ttl: _ttl,
  ...record
}: TicketRecord & IndexAttributes<'kept_in' | 'ttl'>): TicketRecord {
  return record;
}

export function ticketsTable({ store }: StoreOptions): TicketStore {
  /**
   * Records the time in an attribute of a ticket that has been neither used nor revoked.
   * @returns undefined if the condition was met; otherwise the current row, or null if there is none.
   */
  async function note(tenant: string, id: string, set: Readonly<Record<string, string>>, condition: Condition) {
    const { written, row } = await store.update<TicketRecord>(
      'credentials',
      ticketKey(tenant, id),
      { set },
      { if: { all: [{ absent: 'used_at' }, { absent: 'revoked_at' }, condition] }, current: true },
    );
    if (written) return undefined;
    return row ? toRecord(row) : null;
  }

  return {
    async put(ticket) {
      const ttl = Math.floor(Date.parse(ticket.expires_at) / 1000) + keptSeconds;
      const row = { ...ticketKey(ticket.tenant, ticket.id), ...ticket, ttl };
      const { written } = await store.put('credentials', row, { if: { absent: 'id' } });
      if (!written) throw new GatewayError('conflict', `Ticket ${ticket.id} is already issued.`);
    },

    async get(tenant, id) {
      const row = await store.get<TicketRecord>('credentials', ticketKey(tenant, id));
      return row && toRecord(row);
    },

    async redeem(tenant, id, nonce, now): Promise<Redemption> {
      const held = await note(tenant, id, { used_at: now }, { equals: ['nonce', nonce] });
      if (held === undefined) return 'redeemed';
      if (held === null) return 'unknown';
      if (held.revoked_at !== undefined) return 'revoked';
      return held.used_at === undefined ? 'unknown' : 'replayed';
    },

    async revoke(tenant, id, now) {
      return (await note(tenant, id, { revoked_at: now }, { present: 'nonce' })) === undefined;
    },

    active: (tenant, now, page) =>
      livePage(
        { store, table: 'credentials', partitions: partitionsOf(ticketList(tenant), shards.credentials) },
        {
          ...page,
          toRow: toRecord,
          oldest: isoTime(Date.parse(now) - longestLifeMs),
          isLive: (ticket) =>
            ticket.expires_at > now && ticket.used_at === undefined && ticket.revoked_at === undefined,
        },
      ),
  };
}
