/**
 * Converse and ConverseStream through the AWS SDK, which is loaded at the first call. Bytes are forwarded just like
 * those of other providers.
 */
import { Readable } from 'node:stream';
import type {
  BedrockRuntimeClient,
  BedrockRuntimeClientConfig,
  ConverseCommandInput,
} from '@aws-sdk/client-bedrock-runtime';
import { httpCall } from '#adapters/http/provider-http.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import type { Bedrock, BedrockTarget, ConverseInput } from '#core/models/providers/bedrock-port.ts';

type Sdk = typeof import('./sdk/bedrock.ts');

/** Maximum number of cached clients: one per combination of region, endpoint, key and timeout. */
const maxClients = 32;

export function lazyBedrock(config: BedrockRuntimeClientConfig = {}): Bedrock {
  const clients = new RecentMap<string, BedrockRuntimeClient>({ max: maxClients });

  const connected = async (target: BedrockTarget): Promise<{ sdk: Sdk; client: BedrockRuntimeClient }> => {
    const sdk = await import('./sdk/bedrock.ts');
    const made = () => new sdk.BedrockRuntimeClient({ ...config, ...settings(target) });
    return { sdk, client: clients.getOrInsertComputed(JSON.stringify(target), made) };
  };

  return {
    async converse(target, input, signal) {
      const { sdk, client } = await connected(target);
      const { $metadata, ...output } = await client.send(new sdk.ConverseCommand(commandInput(input)), {
        abortSignal: signal,
      });
      return { requestId: $metadata.requestId ?? '', output };
    },

    async converseStream(target, input, signal) {
      const { sdk, client } = await connected(target);
      const left = new AbortController();
      const { $metadata, stream } = await client.send(new sdk.ConverseStreamCommand(commandInput(input)), {
        abortSignal: AbortSignal.any([signal, left.signal]),
      });
      return { requestId: $metadata.requestId ?? '', events: closing(stream ?? [], left) };
    },
  };
}

/** Bedrock with the environment's own credentials. */
export const bedrockRuntime: Bedrock = lazyBedrock();

/** Casts the input, because core declares its members by name and the SDK by type. */
const commandInput = (input: ConverseInput) => input as unknown as ConverseCommandInput;

/** Yields the events. Closes the connection if the reader leaves early. */
async function* closing<T>(events: AsyncIterable<T> | Iterable<T>, left: AbortController) {
  try {
    yield* events as AsyncIterable<T & Readonly<Record<string, unknown>>>;
  } finally {
    left.abort();
  }
}

/** Disables the SDK's retries, because the route retries. */
const settings = ({ region, endpoint, apiKey, timeoutMs }: BedrockTarget): BedrockRuntimeClientConfig => ({
  maxAttempts: 1,
  requestHandler: handler(timeoutMs),
  ...(region !== undefined && { region }),
  ...(endpoint !== undefined && { endpoint }),
  ...(apiKey !== undefined && { token: { token: apiKey }, authSchemePreference: ['httpBearerAuth'] }),
});

type Handler = Exclude<BedrockRuntimeClientConfig['requestHandler'], undefined | Readonly<Record<string, unknown>>>;

/**
 * Sends the SDK's requests over the gateway's own connections, so that every provider has the same timeouts, abort
 * handling and pool.
 */
const handler = (timeoutMs: number): Handler =>
  ({
    metadata: { handlerProtocol: 'http/1.1' },

    async handle(request: SdkRequest, { abortSignal }: { abortSignal?: AbortSignal } = {}) {
      const { protocol, hostname, port, path, method, headers, body } = request;
      const reply = await httpCall({
        url: `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`,
        method: method === 'GET' ? 'GET' : 'POST',
        headers,
        ...(body !== undefined && { body }),
        signal: abortSignal ?? new AbortController().signal,
        firstByteTimeoutMs: timeoutMs,
        idleTimeoutMs: timeoutMs,
      });
      const { status: statusCode, retryAfterSeconds } = reply;
      const wait = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
      const answered = { ...reply.headers, ...wait };
      return { response: { statusCode, headers: answered, body: Readable.from(reply.body, { objectMode: false }) } };
    },
    updateHttpClientConfig() {},
    httpHandlerConfigs: () => ({}),
  }) as unknown as Handler;

interface SdkRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string | Uint8Array;
}
