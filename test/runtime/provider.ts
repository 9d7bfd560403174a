/** A model provider with OpenAI's API: complete responses, and a stream that continues until its reader disconnects. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Loose } from '../support/loose.ts';

export interface Provider {
  readonly url: string;
  /** Returns the number of calls received so far. */
  calls(): number;
  /** Resolves when a stream's reader disconnects after this call. */
  nextClosedStream(): Promise<void>;
  /** Holds back the next complete response until it is released. */
  holdNext(): { readonly arrived: Promise<void>; release(): void };
  stop(): Promise<void>;
}

const said = 'Bees dance.';
const chunk = (content: string) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 0, model: 'm', choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;

export async function startProvider(): Promise<Provider> {
  let calls = 0;
  const told: (() => void)[] = [];
  let held: { arrived(): void; readonly released: Promise<void> } | undefined;
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    calls += 1;
    const { stream, model } = (await json(request)) as Loose;
    if (!stream) {
      const hold = held;
      held = undefined;
      hold?.arrived();
      await hold?.released;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({
          id: 'c',
          object: 'chat.completion',
          created: 0,
          model,
          choices: [{ index: 0, message: { role: 'assistant', content: said }, finish_reason: 'stop' }],
          usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
        }),
      );
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const timer = setInterval(() => response.write(chunk('more words and more words ')), 5);
    response.on('close', () => {
      clearInterval(timer);
      for (const tell of told.splice(0)) tell();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    calls: () => calls,
    nextClosedStream: () => new Promise((resolve) => told.push(resolve)),
    holdNext() {
      const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      held = { arrived: arrived.resolve, released: released.promise };
      return { arrived: arrived.promise, release: released.resolve };
    },
    stop() {
      server.closeAllConnections();
      return new Promise((stopped) => server.close(() => stopped()));
    },
  };
}
