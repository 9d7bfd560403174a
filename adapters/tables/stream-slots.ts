/**
 * Each key's open event streams, in the MCP sessions table, because functions share no memory. One row per key,
 * `streams#<tenant>#<key>`, holds its open streams with their sessions and end times, and the number of times the row
 * was written. Access patterns: take (get, then put if no other process has written since), give (an update that
 * removes one stream).
 */

import { GatewayError } from '#core/kernel/errors.ts';
import { type Clock, isoTime } from '#core/kernel/ports.ts';
import { fullOf, type OpenStream, type StreamOwner, type StreamSlots } from '#core/mcp/sessions/event-streams.ts';
import type { Key, StoreOptions } from './store.ts';

type SlotsById = Record<string, Pick<OpenStream, 'session' | 'until'>>;

const tries = 5;

const streamsKey = ({ tenant, key_id }: StreamOwner): Key => ({ id: `streams#${tenant}#${key_id}` });

export function streamSlots({ clock, store }: StoreOptions & { readonly clock: Clock }): StreamSlots {
  const read = async (owner: StreamOwner) => {
    const { revision = 0, open = {} } =
      (await store.get<{ revision?: number; open?: SlotsById }>('mcp', streamsKey(owner))) ?? {};
    return { revision, open };
  };
  const written = async (owner: StreamOwner, revision: number, open: SlotsById) => {
    const ttl = Math.max(...Object.values(open).map(({ until }) => Math.ceil(Date.parse(until) / 1000)));
    const row = { ...streamsKey(owner), revision: revision + 1, open, ttl };
    const unchanged = { any: [{ absent: 'id' }, { equals: ['revision', revision] }] } as const;
    return (await store.put('mcp', row, { if: unchanged })).written;
  };
  return {
    async take(owner, { id, session, until }, most) {
      for (let attempt = 0; attempt < tries; attempt += 1) {
        const { revision, open } = await read(owner);
        const now = isoTime(clock.now());
        const running: SlotsById = Object.fromEntries(Object.entries(open).filter(([, stream]) => stream.until > now));
        const full = fullOf(Object.values(running), session, most);
        if (full) return full;
        if (await written(owner, revision, { ...running, [id]: { session, until } })) return 'taken';
      }
      const message = `Too many streams were opened with this key at the same time: the gateway tried ${tries} times. Try again.`;
      throw new GatewayError('service_unavailable', message, { retryAfterSeconds: 1 });
    },

    async give(owner, id) {
      const given = { remove: [['open', id]], add: { revision: 1 } };
      await store.update('mcp', streamsKey(owner), given, { if: { present: ['open', id] } });
    },
  };
}
