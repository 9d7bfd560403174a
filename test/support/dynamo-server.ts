/** The embedded store behind HTTP, for tests whose gateways or writers are processes of their own. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fromWire } from '#adapters/dynamodb/operations.ts';
import type { EmbeddedStore } from '#adapters/local/embedded-dynamodb/store.ts';
import type { Loose } from './loose.ts';

export interface DynamoServer {
  readonly endpoint: string;
  stop(): Promise<void>;
}

export async function serveStore(store: EmbeddedStore): Promise<DynamoServer> {
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', async () => {
      const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
      const { status, answer } = await answerOf(store, operation, body);
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(wire(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answerOf(store: EmbeddedStore, operation: string, body: string) {
  try {
    return { status: 200, answer: await store.execute(operation, fromWire(body) as object) };
  } catch (thrown) {
    const { name, message, $fault, Item, CancellationReasons } = thrown as Loose;
    const answer = { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message, Item, CancellationReasons };
    return { status: $fault === 'client' ? 400 : 500, answer };
  }
}

/** Bytes as base64, times as seconds. */
const wire = (answer: object): string =>
  JSON.stringify(answer, function (this: Loose, name, value) {
    if (ArrayBuffer.isView(value)) return Buffer.from(value as Uint8Array).toString('base64');
    return this[name] instanceof Date ? this[name].getTime() / 1000 : value;
  });
