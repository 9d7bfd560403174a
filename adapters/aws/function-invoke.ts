/** Hands work to another function (the WebSocket worker), which continues after the caller has ended. */
import type { LambdaClient, LambdaClientConfig } from '@aws-sdk/client-lambda';
import { GatewayError } from '#core/kernel/errors.ts';
import { clientBounds } from './client-bounds.ts';

type Lambda = typeof import('./sdk/lambda.ts') & { readonly client: LambdaClient };

/**
 * Invokes a function asynchronously; the client is loaded on the first call. An asynchronous payload may be up to 1 MB
 * (256 kB before October 2025).
 * @throws GatewayError `service_unavailable` if the work was not accepted.
 */
export function lazyFunctionInvoke(
  functionName: string,
  config: LambdaClientConfig = {},
): (payload: object) => Promise<void> {
  let connected: Promise<Lambda> | undefined;
  return async (payload) => {
    connected ??= connect(config);
    const { client, InvokeCommand } = await connected;
    const Payload = Buffer.from(JSON.stringify(payload));
    try {
      await client.send(new InvokeCommand({ FunctionName: functionName, InvocationType: 'Event', Payload }));
    } catch (cause) {
      throw new GatewayError('service_unavailable', 'The call could not be handed over. Try again shortly.', {
        cause,
        retryAfterSeconds: 1,
      });
    }
  };
}

async function connect(config: LambdaClientConfig): Promise<Lambda> {
  const sdk = await import('./sdk/lambda.ts');
  return { ...sdk, client: new sdk.LambdaClient({ ...clientBounds(), ...config }) };
}
