/** The WebSocket functions over fake connections. */
import { lazyConnectionPosts } from '#adapters/aws/connection-post.ts';
import { lazyFunctionInvoke } from '#adapters/aws/function-invoke.ts';
import { connectionsTable } from '#adapters/tables/connections-table.ts';
import type { DispatchedCall } from '#core/chat/socket-ports.ts';
import { createHandler as createSocket, type SocketEvent, type SocketReply } from '#lambdas/ws/event.ts';
import { createHandler as createWorker, type WorkerPorts } from '#lambdas/ws-worker/event.ts';
import { chatRecordsOf } from '../support/evidence-of.ts';
import { type FakeProvider, say, startFakeProvider } from '../support/fake-providers.ts';
import { keys, type TestPorts, testPorts } from '../support/ports.ts';
import { woundTimeouts } from '../support/wound-timeouts.ts';
import { type FakeConnections, startFakeConnections } from './fake-connections.ts';

export let fake: FakeProvider;
export let aws: FakeConnections;
export let gateway: TestPorts;
export let ports: WorkerPorts;
export let ws: (event: SocketEvent) => Promise<SocketReply>;

export const timeouts = woundTimeouts();
/** Advances the worker's clock by a second, so that the worker checks its row. */
export const second = () => timeouts.pass(1_000);

beforeAll(async () => {
  fake = await startFakeProvider({ kind: 'openai' });
  aws = await startFakeConnections();
  gateway = await testPorts({
    secrets: { PROVIDER_KEY: 'provider-key' },
    extra: `
server: { cors: { allowed_origins: ["https://app.example"] } }
cache: { enabled: false }
providers:
  - { name: fake, type: openai, base_url: "${fake.baseUrl}", api_key_env: PROVIDER_KEY, models: ["gpt-*"], retry: { max_attempts: 1 } }
policies:
  input:
    - { name: ask-a-human, type: keyword, action: review, keywords: ["launch the rocket"] }
`,
  });
  const { clock } = gateway.ports;
  ports = {
    ...gateway.ports,
    timeouts,
    connections: connectionsTable({ ...gateway.store, clock }),
    posts: lazyConnectionPosts(aws.url, { ...aws.client, endpoint: aws.url }),
  };
  ws = createSocket({ ...ports, handOver: lazyFunctionInvoke('the-worker', aws.client) });
});
beforeEach(() => fake.answers(say('Hello')));
afterAll(async () => {
  await gateway?.stop();
  await fake?.stop();
  await aws?.stop();
});

let connections = 0;
export const event = (routeKey: string, connectionId: string, more: object = {}): SocketEvent =>
  ({
    requestContext: {
      routeKey,
      connectionId,
      requestId: `request-${connectionId}`,
      domainName: 'abc.execute-api.us-east-1.amazonaws.com',
    },
    isBase64Encoded: false,
    ...more,
  }) as SocketEvent;

/** Opens a connection as API Gateway does; its id ends in `=`, as on AWS. */
export async function opened(headers: Record<string, string> = { 'X-API-Key': keys.agent }): Promise<string> {
  const id = `conn-${connections++}=`;
  expect(await ws(event('$connect', id, { headers }))).toEqual({ statusCode: 200 });
  return id;
}
export const said = (id: string, message: object | string, more: object = {}) =>
  ws(event('$default', id, { body: typeof message === 'string' ? message : JSON.stringify(message), ...more }));

export const call = (id: string, text = `call ${id}`, more: object = {}) => ({
  type: 'chat.completions',
  id,
  body: { model: 'gpt-test', stream: true, messages: [{ role: 'user', content: text }], ...more },
});

export const never = new AbortController().signal;
/** Runs the newest accepted work as Lambda does. */
export const worker = (work: DispatchedCall = aws.invoked.at(-1)!.call, signal = never) =>
  createWorker(ports)(work, { signal });

export const recordsOf = (session: string) => chatRecordsOf(gateway.ports, session);
