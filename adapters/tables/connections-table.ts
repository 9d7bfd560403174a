/**
 * Open WebSockets: one row per connection, with a map of its running calls. Access patterns: put on connecting; get by
 * id; conditional updates of one call: begin (if the id is free or its lease has expired, and there is room), claim
 * (once, by the process that began it), cancel, end; leave. The gateway never deletes rows: it compares `expires_at`,
 * and TTL removes them.
 */

import {
  type RunningCall,
  type SocketConnection,
  type SocketConnections,
  socketLeases,
} from '#core/chat/socket-ports.ts';
import { type Clock, isoTime } from '#core/kernel/ports.ts';
import type { Change, Condition, IndexAttributes, Row, StoreOptions } from './store.ts';

interface ConnectionsTableOptions extends StoreOptions {
  readonly clock: Clock;
}

const toStored = (connection: SocketConnection): Row => ({
  ...connection,
  ttl: Math.ceil(Date.parse(connection.expires_at) / 1000),
});

function toConnection({ ttl: _ttl, ...connection }: SocketConnection & IndexAttributes<'ttl'>): SocketConnection {
  return connection;
}

/** Returns the conditions for an open connection: it exists, has not expired and has not been closed. */
const isOpen = (now: string): Condition[] => [{ present: 'id' }, { absent: 'gone' }, { above: ['expires_at', now] }];

export function connectionsTable({ clock, store }: ConnectionsTableOptions): SocketConnections {
  const now = (laterMs = 0) => isoTime(clock.now() + laterMs);

  /** Returns true if the change was made; otherwise returns the current row, if there is one. */
  const change = async (
    id: string,
    changed: Change,
    ...conditions: readonly Condition[]
  ): Promise<true | SocketConnection | undefined> => {
    const options = { if: { all: conditions }, current: true };
    const { written, row } = await store.update<SocketConnection>('connections', { id }, changed, options);
    return written || (row && toConnection(row));
  };
  const known = (connection: SocketConnection | undefined): connection is SocketConnection =>
    connection !== undefined && !connection.gone && connection.expires_at > now();

  /** Frees the slots of calls whose work was lost. Returns true if there were any. */
  const freed = async (id: string, connection: SocketConnection | undefined): Promise<boolean> => {
    const lost = Object.entries(connection?.calls ?? {}).filter(([, { lease_ends }]) => lease_ends < now());
    for (const [call] of lost)
      await change(id, { remove: [['calls', call]] }, { below: [['calls', call, 'lease_ends'], now()] });
    return lost.length > 0;
  };

  return {
    async open(connection) {
      await store.put('connections', toStored(connection));
    },

    async get(id) {
      const row = await store.get<SocketConnection>('connections', { id });
      const connection = row && toConnection(row);
      return connection && connection.expires_at > now() ? connection : undefined;
    },

    async authenticate(id, { key_id, tenant, federated }) {
      const set = { key_id, tenant, ...(federated && { federated }) };
      await change(id, { set, remove: federated ? [] : ['federated'] }, ...isOpen(now()));
    },

    async begin(id, call, by, most) {
      const begun: RunningCall = { begun_by: by, lease_ends: now(socketLeases.handedOverMs) };
      const begin = () =>
        change(id, { setIn: [[['calls', call], begun]] }, ...isOpen(now()), {
          any: [
            { below: [['calls', call, 'lease_ends'], now()] },
            { all: [{ absent: ['calls', call] }, { fewer: ['calls', most] }] },
          ],
        });
      let before = await begin();
      if (before !== true && (await freed(id, before))) before = await begin();
      if (before === true) return 'begun';
      if (!known(before)) return 'gone';
      return Object.hasOwn(before.calls, call) ? 'running' : 'full';
    },

    async claim(id, call, by) {
      const claimed: Change = {
        setIn: [
          [['calls', call, 'claimed'], true],
          [['calls', call, 'lease_ends'], now(socketLeases.claimedMs)],
        ],
      };
      const before = await change(
        id,
        claimed,
        ...isOpen(now()),
        { equals: [['calls', call, 'begun_by'], by] },
        { absent: ['calls', call, 'claimed'] },
        { absent: ['calls', call, 'cancelled'] },
      );
      if (before === true) return 'claimed';
      const state = known(before) && Object.hasOwn(before.calls, call) ? before.calls[call] : undefined;
      return state?.cancelled && !state.claimed && state.begun_by === by ? 'cancelled' : 'no';
    },

    async cancel(id, call) {
      await change(id, { setIn: [[['calls', call, 'cancelled'], true]] }, { present: ['calls', call] });
    },

    async over(id, call) {
      await change(id, { remove: [['calls', call]] }, { present: 'id' });
    },

    async leave(id) {
      await change(id, { set: { gone: true } }, { present: 'id' });
    },
  };
}
