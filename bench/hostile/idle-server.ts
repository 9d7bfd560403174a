/** A process that does nothing but respond to probes, so that its latency is the machine's own. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const server = createServer((_request, response) => void response.writeHead(200).end('{}'));
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })));
