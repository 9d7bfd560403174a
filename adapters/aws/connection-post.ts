/** Texts to WebSocket connections through `@connections` of API Gateway (spec §4.1). */
import type {
  ApiGatewayManagementApiClient,
  ApiGatewayManagementApiClientConfig,
} from '@aws-sdk/client-apigatewaymanagementapi';
import type { SocketPosts } from '#core/chat/socket-ports.ts';
import { GatewayError } from '#core/kernel/errors.ts';

type Api = typeof import('./connection-sdk.ts') & { readonly client: ApiGatewayManagementApiClient };

/** The client is loaded with the first post. @param url of the API's stage. */
export function lazyConnectionPosts(url: string, config: ApiGatewayManagementApiClientConfig = {}): SocketPosts {
  let connected: Promise<Api> | undefined;
  const api = (): Promise<Api> => {
    connected ??= connect({ ...config, endpoint: url });
    return connected;
  };
  return {
    async post(ConnectionId, text) {
      const { client, PostToConnectionCommand } = await api();
      return unlessGone(client.send(new PostToConnectionCommand({ ConnectionId, Data: text })));
    },
    async close(ConnectionId) {
      const { client, DeleteConnectionCommand } = await api();
      await unlessGone(client.send(new DeleteConnectionCommand({ ConnectionId })));
    },
  };
}

async function connect(config: ApiGatewayManagementApiClientConfig): Promise<Api> {
  const sdk = await import('./connection-sdk.ts');
  return { ...sdk, client: new sdk.ApiGatewayManagementApiClient(config) };
}

/** 410 says that the caller has left: that is an answer, not a fault. */
async function unlessGone(sending: Promise<unknown>): Promise<boolean> {
  try {
    await sending;
    return true;
  } catch (cause) {
    const { name, $metadata } = cause as Error & { $metadata?: { httpStatusCode?: number } };
    if (name === 'GoneException' || $metadata?.httpStatusCode === 410) return false;
    throw new GatewayError('service_unavailable', 'The connection could not be reached.', { cause });
  }
}
