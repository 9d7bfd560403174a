import { buffer } from 'node:stream/consumers';
import type { DispatchedCall } from '#core/chat/socket-ports.ts';
import { serve } from '../support/serve.ts';
import type { SocketMessage } from '../support/socket-client.ts';

export interface FakeConnections {
  /** URL of the stage, in the same form as `CONNECTIONS_URL`. */
  readonly url: string;
  readonly client: object;
  /** Messages posted to a connection, in order. */
  posted(connectionId: string): readonly string[];
  /** Returns the same posts, split into messages, with batches and parts resolved as a client does. */
  heard(connectionId: string): readonly SocketMessage[];
  readonly closed: ReadonlySet<string>;
  /** Maximum number of concurrent posts to one connection. */
  readonly maxConcurrentPosts: () => number;
  /** Makes the connection respond with 410 from this point on. */
  goes(connectionId: string): void;
  /** Makes posts fail with this status. */
  failsWith(status: number | undefined): void;
  /** Resolves when a connection has received a message of this type. */
  hear(connectionId: string, type: string, id?: string): Promise<SocketMessage>;
  readonly invoked: readonly { readonly functionName: string; readonly type: string; readonly call: DispatchedCall }[];
  /** Makes Lambda refuse all invocations. */
  refusesWork(refuses: boolean): void;
  stop(): Promise<void>;
}

export async function startFakeConnections(): Promise<FakeConnections> {
  const posts = new Map<string, string[]>();
  const closed = new Set<string>();
  const gone = new Set<string>();
  const underWay = new Map<string, number>();
  const invoked: FakeConnections['invoked'][number][] = [];
  const waiting = new Set<() => void>();
  let maxConcurrentPosts = 0;
  let failure: number | undefined;
  let refusing = false;

  const { url, stop } = await serve(async (request, response) => {
    const reply = (status: number, body: object = {}, type = '') => {
      response.writeHead(status, { 'content-type': 'application/json', ...(type && { 'x-amzn-errortype': type }) });
      response.end(status === 202 ? undefined : JSON.stringify(body));
    };
    const { pathname } = new URL(request.url ?? '/', 'http://fake');
    const connection = /^\/stage\/@connections\/([^/]+)$/.exec(decodeURIComponent(pathname))?.[1];
    const functionName = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(pathname)?.[1];
    const count = connection === undefined ? 0 : (underWay.get(connection) ?? 0) + 1;
    if (connection !== undefined) underWay.set(connection, count);
    maxConcurrentPosts = Math.max(maxConcurrentPosts, count);
    const text = String(await buffer(request));
    if (connection !== undefined) underWay.set(connection, (underWay.get(connection) ?? 1) - 1);
    if (functionName !== undefined) {
      if (refusing) return reply(400, { message: 'no' }, 'InvalidRequestContentException');
      const type = String(request.headers['x-amz-invocation-type']);
      invoked.push({ functionName, type, call: JSON.parse(text) });
      return reply(202);
    }
    if (connection === undefined) return reply(404);
    if (gone.has(connection) || closed.has(connection)) return reply(410, {}, 'GoneException');
    if (request.method === 'DELETE') closed.add(connection);
    else if (failure !== undefined) return reply(failure, {}, 'ForbiddenException');
    else posts.set(connection, [...(posts.get(connection) ?? []), text]);
    reply(request.method === 'DELETE' ? 204 : 200);
    for (const look of waiting) look();
  });

  const heard = (connectionId: string): SocketMessage[] => joined(posts.get(connectionId) ?? []);
  return {
    url: `${url}/stage`,
    client: {
      endpoint: url,
      region: 'us-east-1',
      maxAttempts: 1,
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    },
    posted: (connectionId) => posts.get(connectionId) ?? [],
    heard,
    closed,
    maxConcurrentPosts: () => maxConcurrentPosts,
    goes: (connectionId) => void gone.add(connectionId),
    failsWith: (status) => {
      failure = status;
    },
    hear: (connectionId, type, id) =>
      new Promise((resolve) => {
        const look = () => {
          const found = heard(connectionId).find(
            (message) => message.type === type && (id === undefined || message.id === id),
          );
          if (!found) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    invoked,
    refusesWork: (refuses) => {
      refusing = refuses;
    },
    stop,
  };
}

/** Joins batches and parts as a client does: parts per id, in order of arrival, parsed when the last one arrives. */
function joined(texts: readonly string[]): SocketMessage[] {
  const parts = new Map<string, string>();
  return texts.flatMap((text) => {
    const message = JSON.parse(text) as SocketMessage;
    if (message.type === 'batch') return message.messages as SocketMessage[];
    if (message.type !== 'part') return [message];
    const whole = (parts.get(message.id!) ?? '') + message.data;
    parts.set(message.id!, message.last ? '' : whole);
    return message.last ? [JSON.parse(whole) as SocketMessage] : [];
  });
}
