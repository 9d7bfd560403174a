/** A service that counts the requests to each path; `GET /counts` returns the counts. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const counts = new Map<string, number>();
const summary = () => ({
  paths: counts.size,
  most: [...counts.values()].reduce((most, count) => Math.max(most, count), 0),
  all: Object.fromEntries(counts),
});

const server = createServer((request, response) => {
  const path = request.url ?? '/';
  if (path !== '/counts') counts.set(path, (counts.get(path) ?? 0) + 1);
  const answer = path === '/counts' ? summary() : {};
  request.resume();
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })));
