/**
 * Messages for the process that holds a stream of the older HTTP+SSE transport, in the MCP sessions table. One row per
 * stream, `stream#<id>`, holds its owner and the pending messages, in order of increasing id. Access patterns: open
 * (put), post (update under conditions), take (get, then an update that removes the messages read, by id), close (a put
 * that expires it: rows are not deleted; TTL removes them). The client may repeat each of them without additional
 * effect.
 */

import { type Clock, type Ids, isoTime } from '#core/kernel/ports.ts';
import type { StreamInboxes } from '#core/mcp/http-sse.ts';
import { type Row, StoreFault, type StoreOptions } from './store.ts';

interface StreamInboxesOptions extends StoreOptions {
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'uuid'>;
}

/** Maximum total size of the pending messages; an item holds at most 400 kB. */
const maxBytes = 350 * 1024;
const maxWaiting = 64;

export function streamInboxes({ clock, ids, store }: StreamInboxesOptions): StreamInboxes {
  const keyOf = (id: string) => ({ id: `stream#${id}` });
  const put = (id: string, row: Row, expires_at: string) => {
    const ttl = Math.ceil(Date.parse(expires_at) / 1000);
    return store.put('mcp', { ...keyOf(id), ...row, expires_at, ttl });
  };
  return {
    async open(id, { tenant, key_id }, expires_at) {
      await put(id, { tenant, key_id, messages: {} }, expires_at);
    },

    async post(id, { tenant, key_id }, message) {
      if (Buffer.byteLength(message) > maxBytes) return 'full';
      const now = isoTime(clock.now());
      try {
        const { written, row } = await store.update(
          'mcp',
          keyOf(id),
          { setIn: [[['messages', ids.uuid()], message]] },
          {
            if: {
              all: [
                { equals: ['tenant', tenant] },
                { equals: ['key_id', key_id] },
                { above: ['expires_at', now] },
                { fewer: ['messages', maxWaiting] },
              ],
            },
            current: true,
          },
        );
        if (written) return 'kept';
        const own = row?.tenant === tenant && row.key_id === key_id;
        return own && String(row.expires_at) > isoTime(clock.now()) ? 'full' : 'unknown';
      } catch (fault) {
        // The whole row would be too large.
        if (fault instanceof StoreFault && fault.reason === 'input' && /size/i.test((fault.cause as Error).message))
          return 'full';
        throw fault;
      }
    },

    async take(id) {
      const row = await store.get<{ messages?: Record<string, string> }>('mcp', keyOf(id));
      const waiting = Object.entries(row?.messages ?? {});
      if (waiting.length === 0) return [];
      await store.update('mcp', keyOf(id), { remove: waiting.map(([message]) => ['messages', message]) });
      return waiting.sort(([a], [b]) => (a < b ? -1 : 1)).map(([message, text]) => ({ id: message, text }));
    },

    async close(id) {
      await put(id, {}, isoTime(0));
    },
  };
}
