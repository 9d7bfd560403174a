/**
 * The minimum work of a gateway in Node: parses the body, looks up a key and passes the response through. It is the
 * baseline for other figures.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { Agent, createServer, request } from 'node:http';

const upstream = Number(process.env.UPSTREAM_PORT);
const agent = new Agent({ keepAlive: true, maxSockets: 1024 });
const digest = (key: string) => createHash('sha256').update(key).digest();
const wanted = digest('bench-key');

const server = createServer((incoming, outgoing) => {
  if (!timingSafeEqual(digest(String(incoming.headers['x-api-key'])), wanted)) {
    outgoing.writeHead(401).end();
    return;
  }
  const parts: Buffer[] = [];
  incoming.on('data', (part: Buffer) => parts.push(part));
  incoming.once('end', () => {
    const raw = Buffer.concat(parts);
    const { stream } = JSON.parse(raw.toString()) as { stream?: boolean };
    const headers = { 'content-type': 'application/json', 'content-length': raw.length };
    const call = request(
      { host: '127.0.0.1', port: upstream, path: '/v1/chat/completions', method: 'POST', agent, headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, { 'content-type': answer.headers['content-type'] });
        if (stream) outgoing.flushHeaders();
        answer.pipe(outgoing);
      },
    );
    call.once('error', () => outgoing.writeHead(502).end());
    call.end(raw);
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as { port: number };
  console.log(JSON.stringify({ event: 'ready', port }));
});
