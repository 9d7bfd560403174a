/** Slack as the gateway uses it: the Web API and response URLs over real HTTP. Scripted faults come first. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Loose } from './loose.ts';

interface SlackCall {
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Loose;
}

interface Fault {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: object;
}

/**
 * Starts a fake Slack. With `gate.together`, no request gets a response before this many are pending, so a sequential
 * sender gets none.
 */
export async function fakeSlack() {
  const gate = { together: 1 };
  const waiting: (() => void)[] = [];
  const calls: SlackCall[] = [];
  const faults: Fault[] = [];
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    calls.push({ path: request.url ?? '', headers: request.headers, body: JSON.parse(text) });
    await new Promise<void>((answer) => {
      waiting.push(answer);
      if (waiting.length >= gate.together) for (const go of waiting.splice(0)) go();
    });
    const fault = faults.shift();
    response.writeHead(fault?.status ?? 200, { 'content-type': 'application/json', ...fault?.headers });
    response.end(JSON.stringify(fault?.body ?? { ok: true, channel: 'C1', ts: `${calls.length}.0` }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    calls,
    faults,
    gate,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
