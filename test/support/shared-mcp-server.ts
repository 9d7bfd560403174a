/** An MCP server by HTTP+SSE, which all callers share: it answers every request, and says what a test has it say. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

type Message = Readonly<Record<string, unknown>> & { readonly id?: number; readonly method?: string };

export async function startSharedMcpServer(given: Readonly<Record<string, object>> = {}) {
  const results: Record<string, object> = { ...given };
  const streams: ServerResponse[] = [];
  const asked: Message[] = [];
  const say = (message: object) => {
    for (const stream of streams) stream.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
  };
  const server = createServer(async (incoming, reply) => {
    if (incoming.method === 'GET') {
      reply.writeHead(200, { 'content-type': 'text/event-stream' });
      reply.write('event: endpoint\ndata: /messages\n\n');
      streams.push(reply);
      return;
    }
    const message = (await json(incoming)) as Message;
    asked.push(message);
    reply.writeHead(202).end();
    if (message.method === 'tools/call') say({ method: 'notifications/message', params: { data: message.params } });
    if (message.id !== undefined) say({ id: message.id, result: results[message.method!] ?? {} });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/sse`,
    asked,
    results,
    /** Bytes of the stream as they are. */
    write: (text: string) => {
      for (const stream of streams) stream.write(text);
    },
    say,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((closed) => void server.close(closed));
    },
  };
}
