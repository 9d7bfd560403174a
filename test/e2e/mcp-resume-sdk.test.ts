/** The official client when its connection breaks within an answer: a real proxy cuts it, and the SDK takes the answer up again. */
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type McpGatewayRun, mcpKeys, startMcpGateway } from '../support/mcp-gateway.ts';
import { type McpServer, startMcpServer } from '../support/mcp-servers.ts';

let server: McpServer;
let gateway: McpGatewayRun;
let proxy: Server;
/** What the client asked by GET after the cut. */
const resumed: string[] = [];
let cuts = 0;

beforeAll(async () => {
  server = await startMcpServer();
  gateway = await startMcpGateway({ upstreams: [{ name: 'fixture', url: server.url }] });
  const upstream = new URL(gateway.url);
  proxy = createServer({ keepAliveTimeout: 0 }, (incoming, outgoing) => {
    const last = incoming.headers['last-event-id'];
    if (typeof last === 'string') resumed.push(last);
    const headers = { ...incoming.headers, host: upstream.host };
    const sent = httpRequest(
      { host: upstream.hostname, port: upstream.port, path: upstream.pathname, method: incoming.method, headers },
      (reply) => {
        outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
        let seen = '';
        reply.on('data', (chunk: Buffer) => {
          seen += chunk.toString('utf8');
          outgoing.write(chunk);
          // The first progress has come: the answer has not.
          if (incoming.method !== 'POST' || !seen.includes('"progress":1') || cuts > 0) return;
          cuts++;
          sent.destroy();
          outgoing.end();
        });
        reply.on('end', () => outgoing.end());
        reply.on('error', () => outgoing.end());
      },
    );
    sent.on('error', () => outgoing.end());
    incoming.pipe(sent);
  });
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
});
afterAll(async () => {
  proxy?.closeAllConnections();
  proxy?.close();
  await gateway?.stop();
  await server?.stop();
});

test('[mcp.resumable] the SDK gets progress and result of a call whose connection was cut, and the call is made once', async () => {
  const url = new URL(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`);
  const requestInit = { headers: { 'x-api-key': mcpKeys.agent } };
  const client = new Client({ name: 'cut', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }) as Parameters<Client['connect']>[0]);
  const before = server.calls().length;
  const heard: number[] = [];
  const result = await client.callTool({ name: 'slow', arguments: {} }, undefined, {
    onprogress: ({ progress }) => void heard.push(progress),
    timeout: 30_000,
  });
  expect(result.content).toEqual([{ type: 'text', text: 'done at last' }]);
  expect(cuts).toBe(1);
  expect(resumed).toEqual([expect.stringMatching(/^[0-9a-f]{24}-\d+$/)]);
  expect(heard.slice(0, 2)).toEqual([1, 2]);
  expect(server.calls().length).toBe(before + 1);
  await client.close();
});
