/**
 * Capability tickets in DynamoDB, in the table of their tenant's credentials. The ticket's text is not stored.
 *
 * Access patterns: one ticket (consistent Get); the valid ones of a tenant (Query per shard, newest first: ids are
 * UUIDv7); redeem and revoke (Update under conditions). A row outlives its ticket by more than any skew, so a nonce is
 * never valid twice.
 */

import { GetItemCommand, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { TicketRecord } from '#core/contracts/credential.ts';
import type { Redemption, TicketStore } from '#core/execution/tickets/ports.ts';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { type Beside, fromItem, type Item, storeDown, stored, toItem } from './items.ts';
import { livePage } from './live-page.ts';
import { partitionOf, partitionsOf, shards } from './shards.ts';
import type { StoreOptions } from './store-options.ts';

const keptSeconds = 30 * 24 * 3600;
/** Longest lifetime of a ticket (the configuration's limit). Tickets issued earlier cannot be valid. */
const longestLifeMs = 3600 * 1000;

/** Returns the list of a tenant's tickets. Tenant names contain no `#`, so tickets and credentials never collide. */
const listOf = (tenant: string): string => `ticket#${tenant}`;
const keyOf = (tenant: string, id: string): Item =>
  toItem({ kept_in: partitionOf(listOf(tenant), id, shards.credentials), id });

function toRecord(item: Item): TicketRecord {
  const { kept_in: _kept, ttl: _ttl, ...record } = fromItem<TicketRecord & Beside<'kept_in' | 'ttl'>>(item);
  return record;
}

export function ticketsTable({ client, tables }: StoreOptions): TicketStore {
  const TableName = tables.credentials;

  /**
   * Updates a ticket. @returns undefined if the condition held; otherwise the current row, or null if there is none.
   */
  async function update(tenant: string, id: string, set: string, condition: string, values: object) {
    const command = new UpdateItemCommand({
      TableName,
      Key: keyOf(tenant, id),
      UpdateExpression: `SET ${set} = :now`,
      ConditionExpression: `attribute_not_exists(used_at) AND attribute_not_exists(revoked_at) AND ${condition}`,
      ExpressionAttributeValues: toItem(values),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    try {
      await client.send(command);
      return undefined;
    } catch (cause) {
      if (!isErrorNamed(cause, 'ConditionalCheckFailedException')) throw storeDown(cause);
      const { Item } = cause as { Item?: Item };
      return Item ? toRecord(Item) : null;
    }
  }

  return {
    async put(ticket) {
      const ttl = Math.floor(Date.parse(ticket.expires_at) / 1000) + keptSeconds;
      const command = new PutItemCommand({
        TableName,
        Item: { ...keyOf(ticket.tenant, ticket.id), ...toItem({ ...ticket, ttl }) },
        ConditionExpression: 'attribute_not_exists(id)',
      });
      try {
        await client.send(command);
      } catch (cause) {
        if (!isErrorNamed(cause, 'ConditionalCheckFailedException')) throw storeDown(cause);
        throw new GatewayError('conflict', `Ticket ${ticket.id} is already issued.`);
      }
    },

    async get(tenant, id) {
      const command = new GetItemCommand({ TableName, Key: keyOf(tenant, id), ConsistentRead: true });
      const { Item } = await stored(client.send(command));
      return Item && toRecord(Item);
    },

    async redeem(tenant, id, nonce, now): Promise<Redemption> {
      const held = await update(tenant, id, 'used_at', 'nonce = :nonce', { ':now': now, ':nonce': nonce });
      if (held === undefined) return 'redeemed';
      if (held === null) return 'unknown';
      if (held.revoked_at !== undefined) return 'revoked';
      return held.used_at === undefined ? 'unknown' : 'replayed';
    },

    async revoke(tenant, id, now) {
      return (await update(tenant, id, 'revoked_at', 'attribute_exists(nonce)', { ':now': now })) === undefined;
    },

    active: (tenant, now, page) =>
      livePage(
        { client, table: TableName, partitions: partitionsOf(listOf(tenant), shards.credentials) },
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
