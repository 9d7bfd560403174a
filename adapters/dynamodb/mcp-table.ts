/**
 * MCP sessions and tool fingerprints in DynamoDB.
 *
 * Items of the table, all by `id`: `session#<id>` — one session; `tools#<upstream>` — the fingerprints of one server's
 * tools, with the count of their writes.
 *
 * Access patterns: one session (consistent Get), put, end (a put that expires it: items are not deleted); the marks of
 * a server (consistent Get), put if no other process wrote since. `expires_at` is compared, TTL removes items.
 */

import { GetItemCommand, PutItemCommand, type PutItemCommandInput } from '@aws-sdk/client-dynamodb';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import { type Clock, isoTime } from '#core/kernel/ports.ts';
import type { McpSession, McpStore, ToolMarks } from '#core/mcp/ports.ts';
import { fromItem, storeDown, stored, toItem } from './items.ts';
import type { StoreOptions } from './store-options.ts';

interface McpTableOptions extends StoreOptions {
  readonly clock: Clock;
}

const sessionId = (id: string) => `session#${id}`;
const marksId = (upstream: string) => `tools#${upstream}`;

const marksParams = (TableName: string, { upstream, revision, tools }: ToolMarks): PutItemCommandInput => ({
  TableName,
  Item: toItem({ id: marksId(upstream), upstream, revision: revision + 1, tools }),
  ...(revision === 0
    ? { ConditionExpression: 'attribute_not_exists(id)' }
    : { ConditionExpression: 'revision = :known', ExpressionAttributeValues: { ':known': { N: `${revision}` } } }),
});

export function mcpTable({ client, tables, clock }: McpTableOptions): McpStore {
  const TableName = tables.mcp;
  const read = async (id: string) => {
    const { Item } = await stored(
      client.send(new GetItemCommand({ TableName, Key: { id: { S: id } }, ConsistentRead: true })),
    );
    return Item && fromItem(Item);
  };
  const put = async ({ id, ...session }: McpSession) => {
    const ttl = Math.ceil(Date.parse(session.expires_at) / 1000);
    const Item = toItem({ id: sessionId(id), session_id: id, ...session, ttl });
    await stored(client.send(new PutItemCommand({ TableName, Item })));
  };
  return {
    async session(id) {
      const item = await read(sessionId(id));
      if (!item) return undefined;
      const { ttl: _ttl, session_id, hello, ...rest } = item;
      // Sessions stored by 0.8 call the handshake `hello`.
      const session = { handshake: hello, ...rest, id: session_id } as unknown as McpSession;
      return session.expires_at > isoTime(clock.now()) ? session : undefined;
    },
    putSession: put,
    async endSession(id) {
      const item = { id: sessionId(id), session_id: id, expires_at: isoTime(0), ttl: Math.ceil(clock.now() / 1000) };
      await stored(client.send(new PutItemCommand({ TableName, Item: toItem(item) })));
    },
    async marks(upstream) {
      const item = await read(marksId(upstream));
      if (!item) return { upstream, revision: 0, tools: {} };
      return { upstream, revision: item.revision as number, tools: item.tools as ToolMarks['tools'] };
    },
    async putMarks(marks) {
      try {
        await client.send(new PutItemCommand(marksParams(TableName, marks)));
        return true;
      } catch (cause) {
        if (isErrorNamed(cause, 'ConditionalCheckFailedException')) return false;
        throw storeDown(cause);
      }
    },
  };
}
