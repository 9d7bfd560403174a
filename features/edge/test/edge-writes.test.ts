/** Bytes that the edge writes to an HTTP/1.1 connection. */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { serveInProcess } from '../host/serve-in-process.ts';

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close().closeAllConnections();
});

async function listening(listener: RequestListener): Promise<number> {
  const server = createServer({ keepAliveTimeout: 0 }, listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Returns the individual writes that the edge's connection makes for one response. */
async function writesOf(upstream: RequestListener, asMany = 1, afterFirst = () => {}): Promise<string[]> {
  const writes: string[] = [];
  const enough = Promise.withResolvers<void>();
  const port = await listening((request, response) => {
    const socket = request.socket as Socket & { _writev: unknown; _write: unknown };
    const note = (chunks: readonly { readonly chunk: Buffer | string }[]) => {
      writes.push(chunks.map(({ chunk }) => chunk.toString()).join(''));
      if (writes.length === 1) afterFirst();
      if (writes.length === asMany) enough.resolve();
    };
    const { _writev: several, _write: one } = socket as unknown as Record<string, (...args: unknown[]) => void>;
    socket._writev = (chunks: { chunk: Buffer }[], done: unknown) => {
      note(chunks);
      several!.call(socket, chunks, done);
    };
    socket._write = (chunk: Buffer, encoding: unknown, done: unknown) => {
      note([{ chunk }]);
      one!.call(socket, chunk, encoding, done);
    };
    void serveInProcess(async (...call) => void upstream(...call), request, response, {
      path: '/',
      headers: [],
      added: {},
    });
  });
  const client = connect(port, '127.0.0.1').resume();
  client.write('GET / HTTP/1.1\r\nhost: edge\r\n\r\n');
  await enough.promise;
  client.destroy();
  return writes;
}

test('[edge.streams] a response that arrived whole is sent in a single write', async () => {
  const body = JSON.stringify({ status: 'ok' });
  const writes = await writesOf((_request, response) => {
    response.writeHead(200, { 'content-length': String(body.length) }).end(body);
  });
  expect(writes[0]).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\n\{"status":"ok"\}$/);
});

test('[edge.streams] a stream’s headers are sent before its first chunk arrives, and the chunk follows', async () => {
  let goOn = () => {};
  const writes = await writesOf(
    (_request, response) => {
      goOn = () => void setImmediate(() => response.end('data: 1\n\n'));
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    },
    2,
    () => goOn(),
  );
  expect(writes[0]).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\n$/);
  expect(writes[1]).toContain('data: 1');
});
