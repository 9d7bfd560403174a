/**
 * Open WebSockets in DynamoDB: one item per connection, with a map of its running calls.
 *
 * Access patterns: put on connecting; get by id (consistent); conditional updates of one call: begin (id free or its
 * lease over, room left), claim (once, by the process that began it), cancel, over; leave. The gateway never deletes
 * items: `expires_at` is compared, TTL removes them.
 */

import {
  type ConditionalCheckFailedException,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import {
  type RunningCall,
  type SocketConnection,
  type SocketConnections,
  socketLeases,
} from '#core/chat/socket-ports.ts';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import { type Clock, isoTime } from '#core/kernel/ports.ts';
import { type Beside, fromItem, type Item, storeDown, stored, toItem } from './items.ts';
import type { StoreOptions } from './store-options.ts';

interface ConnectionsTableOptions extends StoreOptions {
  readonly clock: Clock;
}

const toConnectionItem = (connection: SocketConnection): Item =>
  toItem({ ...connection, ttl: Math.ceil(Date.parse(connection.expires_at) / 1000) });

function toConnection(item: Item): SocketConnection {
  const { ttl: _ttl, ...connection } = fromItem<SocketConnection & Beside<'ttl'>>(item);
  return connection;
}

/** Condition: the connection exists, has not expired and was not closed. */
const isOpen = 'attribute_exists(id) AND attribute_not_exists(gone) AND expires_at > :now';

interface Change {
  readonly update: string;
  readonly where: string;
  readonly values?: Readonly<Record<string, unknown>>;
  readonly call?: string;
}

const changeParams = (
  TableName: string,
  id: string,
  { update, where, values, call }: Change,
): UpdateItemCommandInput => ({
  TableName,
  Key: toItem({ id }),
  UpdateExpression: update,
  ConditionExpression: where,
  ...(call !== undefined && { ExpressionAttributeNames: { '#call': call } }),
  ...(values && { ExpressionAttributeValues: toItem(values) }),
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
});

export function connectionsTable({ client, tables, clock }: ConnectionsTableOptions): SocketConnections {
  const TableName = tables.connections;
  const now = (laterMs = 0) => isoTime(clock.now() + laterMs);

  /** Returns true if the change was made; otherwise the current item, if there is one. */
  const change = async (id: string, changed: Change): Promise<true | SocketConnection | undefined> => {
    try {
      await client.send(new UpdateItemCommand(changeParams(TableName, id, changed)));
      return true;
    } catch (cause) {
      if (!isErrorNamed(cause, 'ConditionalCheckFailedException')) throw storeDown(cause);
      const { Item } = cause as ConditionalCheckFailedException;
      return Item && toConnection(Item);
    }
  };
  const known = (connection: SocketConnection | undefined): connection is SocketConnection =>
    connection !== undefined && !connection.gone && connection.expires_at > now();

  /** Frees the places of calls whose work was lost. Returns true if there were any. */
  const freed = async (id: string, connection: SocketConnection | undefined): Promise<boolean> => {
    const lost = Object.entries(connection?.calls ?? {}).filter(([, { lease_ends }]) => lease_ends < now());
    for (const [call] of lost)
      await change(id, {
        update: 'REMOVE calls.#call',
        where: 'calls.#call.lease_ends < :now',
        values: { ':now': now() },
        call,
      });
    return lost.length > 0;
  };

  return {
    async open(connection) {
      await stored(client.send(new PutItemCommand({ TableName, Item: toConnectionItem(connection) })));
    },

    async get(id) {
      const { Item } = await stored(
        client.send(new GetItemCommand({ TableName, Key: toItem({ id }), ConsistentRead: true })),
      );
      const connection = Item && toConnection(Item);
      return connection && connection.expires_at > now() ? connection : undefined;
    },

    async authenticate(id, { key_id, tenant, federated }) {
      await change(id, {
        update: `SET key_id = :key, tenant = :tenant ${federated ? ', federated = :federated' : 'REMOVE federated'}`,
        where: isOpen,
        values: { ':key': key_id, ':tenant': tenant, ':now': now(), ...(federated && { ':federated': federated }) },
      });
    },

    async begin(id, call, by, most) {
      const begun: RunningCall = { begun_by: by, lease_ends: now(socketLeases.handedOverMs) };
      const begin = () =>
        change(id, {
          update: 'SET calls.#call = :begun',
          where: `${isOpen} AND (calls.#call.lease_ends < :now OR attribute_not_exists(calls.#call) AND size(calls) < :most)`,
          values: { ':begun': begun, ':most': most, ':now': now() },
          call,
        });
      let before = await begin();
      if (before !== true && (await freed(id, before))) before = await begin();
      if (before === true) return 'begun';
      if (!known(before)) return 'gone';
      return Object.hasOwn(before.calls, call) ? 'running' : 'full';
    },

    async claim(id, call, by) {
      const before = await change(id, {
        update: 'SET calls.#call.claimed = :true, calls.#call.lease_ends = :end',
        where: `${isOpen} AND calls.#call.begun_by = :by AND attribute_not_exists(calls.#call.claimed) AND attribute_not_exists(calls.#call.cancelled)`,
        values: { ':by': by, ':true': true, ':end': now(socketLeases.claimedMs), ':now': now() },
        call,
      });
      if (before === true) return 'claimed';
      const state = known(before) && Object.hasOwn(before.calls, call) ? before.calls[call] : undefined;
      return state?.cancelled && !state.claimed && state.begun_by === by ? 'cancelled' : 'no';
    },

    async cancel(id, call) {
      await change(id, {
        update: 'SET calls.#call.cancelled = :true',
        where: 'attribute_exists(calls.#call)',
        values: { ':true': true },
        call,
      });
    },

    async over(id, call) {
      await change(id, { update: 'REMOVE calls.#call', where: 'attribute_exists(id)', call });
    },

    async leave(id) {
      await change(id, { update: 'SET gone = :true', where: 'attribute_exists(id)', values: { ':true': true } });
    },
  };
}
