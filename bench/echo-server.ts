/** The baseline: a bare Node HTTP server that reads a JSON body and responds with JSON. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const server = createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  const { tool } = JSON.parse(text) as { tool: string };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ decision: 'allow', tool }));
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })));
