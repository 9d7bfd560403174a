/** A service that counts how often each of its paths was asked for; `GET /counts` tells. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const counts = new Map<string, number>();

const server = createServer((request, response) => {
  const path = request.url ?? '/';
  if (path !== '/counts') counts.set(path, (counts.get(path) ?? 0) + 1);
  const told = { paths: counts.size, most: Math.max(0, ...counts.values()) };
  request.resume();
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(told));
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })));
