/** The least a gateway in Node can do: parse the body, look a key up, pass the answer through. The floor of the figures. */
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
