/** An HTTP service that actions call, also used as Slack: it counts calls and never responds to paths below `/hang`. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Upstream {
  readonly url: string;
  /** Bodies of the calls received. */
  readonly calls: string[];
  /** Resolves when a call that will not be answered has arrived. */
  hanging(): Promise<void>;
  stop(): Promise<void>;
}

export async function startUpstream(): Promise<Upstream> {
  const calls: string[] = [];
  const waiting: (() => void)[] = [];
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    calls.push(await text(request));
    if (request.url?.startsWith('/hang')) {
      for (const tell of waiting.splice(0)) tell();
      return;
    }
    response.writeHead(201, { 'content-type': 'application/json' }).end('{"id":7,"ok":true,"channel":"C1","ts":"1.0"}');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    hanging: () => new Promise((resolve) => waiting.push(resolve)),
    stop() {
      server.closeAllConnections();
      return new Promise((stopped) => server.close(() => stopped()));
    },
  };
}
