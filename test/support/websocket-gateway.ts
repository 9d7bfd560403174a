/** A gateway that talks over WebSocket. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { agentKey, type ChatGateway, providerYaml, startChatGateway } from './chat-clients.ts';
import { type FakeProvider, piecesOf, say, startFakeProvider, stream } from './fake-providers.ts';
import { connectSocket, type SocketCaller } from './socket-client.ts';

export const maxBody = 20_000;
export const settings = (fakeUrl: string, bulkUrl: string) => `
      - { key: socket-viewer, role: viewer, kind: service, owner: alice, name: watcher }
  - id: small
    max_body_bytes: 1000
    api_keys: [{ key: small-key, name: small }]
  - id: slow
    rate_limit: { requests_per_minute: 1 }
    api_keys: [{ key: slow-key, name: slow }]
  - id: fleeting
    api_keys: [{ key: fleeting-key, name: fleeting }, { key: lasting-key, name: lasting }]
cache: { enabled: false }
server: { max_body_bytes: ${maxBody}, cors: { allowed_origins: ["https://app.example"] } }
providers:
  - { name: mock, type: mock, models: ["mock"] }
${providerYaml('fake', 'openai', fakeUrl, ', models: ["gpt-*"], retry: { max_attempts: 1 }')}
${providerYaml('bulk', 'openai', bulkUrl, ', models: ["bulk"]')}
policies:
  input:
    - { name: no-jailbreak, type: keyword, action: block, keywords: ["ignore previous instructions"] }
    - { name: ask-a-human, type: keyword, action: review, keywords: ["launch the rocket"] }
`;

export let fake: FakeProvider;
export let bulk: Awaited<ReturnType<typeof bulkProvider>>;
export let gateway: ChatGateway;
export let url: string;

beforeAll(async () => {
  fake = await startFakeProvider({ kind: 'openai' });
  bulk = await bulkProvider();
  gateway = await startChatGateway(settings(fake.baseUrl, bulk.url));
  url = `${gateway.ready.gateway_url.replace('http', 'ws')}/v1/ws`;
});
beforeEach(() => fake.answers(say('Hello')));
afterAll(async () => {
  await fake?.stop();
  await bulk?.stop();
  await gateway?.stop();
});

export const withKey = (key = agentKey, headers: Record<string, string> = {}): Promise<SocketCaller> =>
  connectSocket(url, { headers: { 'x-api-key': key, ...headers } });

export const body = (text: string, more: object = {}) => ({
  model: 'gpt-test',
  messages: [{ role: 'user', content: text }],
  ...more,
});
export const call = (id: string, text = `call ${id}`, more: object = {}, message: object = {}) => ({
  type: 'chat.completions',
  id,
  body: body(text, { stream: true, ...more }),
  ...message,
});

/** A stream that says a first word and then waits. */
export const held = (until: Promise<unknown>, text = ['one', ' two']) => {
  const [opening, first, ...rest] = piecesOf('openai', { text });
  return stream([opening!, first!, until, ...rest]);
};

/** The measure that has not changed through a hundred exchanges with the gateway. */
export async function standstill(measure: () => number): Promise<number> {
  for (;;) {
    const before = measure();
    for (let n = 0; n < 100; n++) await fetch(`${gateway.ready.gateway_url}/health`).then((reply) => reply.text());
    if (measure() === before) return before;
  }
}

/** A model whose events are heavy and whose answer is as long as its reader lets it be: 64 MB, 2,000 characters. */
async function bulkProvider() {
  const chunks = 2_000;
  let written = 0;
  const event = `data: ${JSON.stringify({
    id: 'bulk',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: { content: 'a' }, finish_reason: null }],
    padding: 'p'.repeat(32_000),
  })}\n\n`;
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    request.resume();
    written = 0;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const more = () => {
      while (written < chunks && !response.destroyed) {
        written++;
        if (!response.write(event)) return;
      }
      response.end('data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
    };
    response.on('drain', more);
    more();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    chunks,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    /** How much was written when nothing more comes. */
    standstill: () => standstill(() => written),
    stop: () => {
      server.closeAllConnections();
      return new Promise((closed) => server.close(closed));
    },
  };
}
