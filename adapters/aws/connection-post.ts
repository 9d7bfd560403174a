/** Posts messages to WebSocket connections through API Gateway's `@connections`. */

import type {
  ApiGatewayManagementApiClient,
  ApiGatewayManagementApiClientConfig,
} from '@aws-sdk/client-apigatewaymanagementapi';
import type { SocketPosts } from '#core/chat/socket-ports.ts';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { clientBounds } from './client-bounds.ts';

type Api = typeof import('./sdk/connection.ts') & { readonly client: ApiGatewayManagementApiClient };

/**
 * Posts to connections. The client is loaded on the first post. A post that times out is not repeated, because the
 * caller may have received it and would then get the message twice.
 * @param url of the API's stage.
 * @param postMs timeout of a post, in milliseconds.
 */
export function lazyConnectionPosts(
  url: string,
  config: ApiGatewayManagementApiClientConfig = {},
  postMs = 5_000,
): SocketPosts {
  let connected: Promise<Api> | undefined;
  const api = (): Promise<Api> => {
    connected ??= connect({ ...config, endpoint: url });
    return connected;
  };
  return {
    async post(ConnectionId, text) {
      const { client, PostToConnectionCommand } = await api();
      return unlessGone(client.send(new PostToConnectionCommand({ ConnectionId, Data: text }), withTimeout(postMs)));
    },
    async close(ConnectionId) {
      const { client, DeleteConnectionCommand } = await api();
      await unlessGone(client.send(new DeleteConnectionCommand({ ConnectionId }), withTimeout(postMs)));
    },
  };
}

const withTimeout = (ms: number) => ({ abortSignal: AbortSignal.timeout(ms) });

async function connect(config: ApiGatewayManagementApiClientConfig): Promise<Api> {
  const sdk = await import('./sdk/connection.ts');
  return { ...sdk, client: new sdk.ApiGatewayManagementApiClient({ ...clientBounds({ requestMs: 0 }), ...config }) };
}

/** Returns false if the caller has disconnected (410), which is a valid response and not a fault. */
async function unlessGone(sending: Promise<unknown>): Promise<boolean> {
  try {
    await sending;
    return true;
  } catch (cause) {
    const { $metadata } = cause as Error & { $metadata?: { httpStatusCode?: number } };
    if (isErrorNamed(cause, 'GoneException') || $metadata?.httpStatusCode === 410) return false;
    throw new GatewayError('service_unavailable', 'The connection could not be reached.', { cause });
  }
}
