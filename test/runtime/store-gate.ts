/**
 * Proxy in front of one function's store. It stops the function at a commit, before or after the store has received it.
 */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

interface Commit {
  /** Kind of the entry that the transaction writes. */
  readonly kind: 'allow' | 'result' | 'approve';
}

interface Request {
  /** DynamoDB's name for the operation; the first such call is stopped. */
  readonly operation: string;
}

export type Stop = (Commit | Request) & { readonly when: 'before' | 'after' };

export interface StoreGate {
  readonly url: string;
  /** Resolves once the function is waiting for the stopped request. */
  readonly stopped: Promise<void>;
  /** Calls so far, by operation name. */
  readonly calls: readonly string[];
  /** Sets whether new connections are closed without a response. */
  refuses(refuses: boolean): void;
  /** Closes the open connections. */
  close(): Promise<void>;
}

/** @param stop the request that gets no response, whether or not the store has received it. */
export async function storeGate(store: string, stop: Stop | undefined): Promise<StoreGate> {
  const stopped = Promise.withResolvers<void>();
  const calls: string[] = [];
  let refusing = false;
  const holds = (operation: string, body: Buffer): boolean => {
    if (stop === undefined) return false;
    if ('operation' in stop) return operation === stop.operation;
    return operation === 'TransactWriteItems' && body.includes(`\\"kind\\":\\"${stop.kind}\\"`);
  };
  const server = createServer({ keepAliveTimeout: 0 }, async (incoming, response) => {
    if (refusing) return void incoming.destroy();
    const operation = String(incoming.headers['x-amz-target']).replace(/^.*\./, '');
    calls.push(operation);
    const body = await buffer(incoming);
    const held = holds(operation, body);
    if (held && stop?.when === 'before') return stopped.resolve();
    const sent = request(`${store}${incoming.url}`, { method: 'POST', headers: incoming.headers }, (answer) => {
      if (held) return void answer.resume().on('end', () => stopped.resolve());
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    sent.end(body);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stopped: stopped.promise,
    calls,
    refuses: (refuses) => {
      refusing = refuses;
    },
    close() {
      server.closeAllConnections();
      return new Promise((closed) => server.close(() => closed()));
    },
  };
}
