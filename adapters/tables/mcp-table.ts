/**
 * MCP sessions and tool fingerprints. Rows of the table, all by `id`: `session#<id>` — one session; `tools#<upstream>`
 * — the fingerprints of one server's tools, with the number of times they were written. Access patterns: one session
 * (get), put, end (a put that expires it, because rows are not deleted); a server's fingerprints (get), put if no other
 * process has written since. `expires_at` is compared, and TTL removes rows.
 */

import { type Clock, isoTime } from '#core/kernel/ports.ts';
import type { McpSession, McpStore, ToolMarks } from '#core/mcp/ports.ts';
import { ifUnchanged, type StoreOptions } from './store.ts';

interface McpTableOptions extends StoreOptions {
  readonly clock: Clock;
}

const sessionId = (id: string) => `session#${id}`;
const marksId = (upstream: string) => `tools#${upstream}`;

export function mcpTable({ clock, store }: McpTableOptions): McpStore {
  return {
    async session(id) {
      const row = await store.get('mcp', { id: sessionId(id) });
      if (!row) return undefined;
      const { ttl: _ttl, session_id, hello, ...rest } = row;
      // Sessions stored by release 0.8 call the handshake `hello`.
      const session = { handshake: hello, ...rest, id: session_id } as unknown as McpSession;
      return session.expires_at > isoTime(clock.now()) ? session : undefined;
    },
    async putSession({ id, ...session }) {
      const ttl = Math.ceil(Date.parse(session.expires_at) / 1000);
      await store.put('mcp', { id: sessionId(id), session_id: id, ...session, ttl });
    },
    async endSession(id) {
      const ttl = Math.ceil(clock.now() / 1000);
      await store.put('mcp', { id: sessionId(id), session_id: id, expires_at: isoTime(0), ttl });
    },
    async marks(upstream) {
      const row = await store.get<Pick<ToolMarks, 'revision' | 'tools'>>('mcp', { id: marksId(upstream) });
      return { upstream, revision: row?.revision ?? 0, tools: row?.tools ?? {} };
    },
    async putMarks({ upstream, revision, tools }) {
      const row = { id: marksId(upstream), upstream, revision: revision + 1, tools };
      const unchanged = ifUnchanged(revision === 0 ? undefined : { revision });
      return (await store.put('mcp', row, { if: unchanged })).written;
    },
  };
}
