/** Port through which the Bedrock provider uses the AWS SDK, which `adapters/aws/bedrock.ts` loads. */

export interface BedrockTarget {
  /** @default the environment's region */
  readonly region: string | undefined;
  /** @default the AWS endpoint */
  readonly endpoint: string | undefined;
  /** Bedrock API key; without it, requests are signed with the environment's AWS credentials. */
  readonly apiKey: string | undefined;
  /** Maximum time until the response begins, and between its events. */
  readonly timeoutMs: number;
}

/** Bedrock calls. Both methods throw the SDK's errors, or HttpFault for timeouts. Aborting closes the connection. */
export interface Bedrock {
  converse(target: BedrockTarget, input: ConverseInput, signal: AbortSignal): Promise<ConverseOutput>;
  converseStream(target: BedrockTarget, input: ConverseInput, signal: AbortSignal): Promise<ConverseStream>;
}

/** Input that uses the API's member names, with bytes as Uint8Array as in the SDK. */
export type ConverseInput = { readonly modelId: string } & Readonly<Record<string, unknown>>;
interface ConverseOutput {
  readonly requestId: string;
  readonly output: Readonly<Record<string, unknown>>;
}
interface ConverseStream {
  readonly requestId: string;
  readonly events: AsyncIterable<Readonly<Record<string, unknown>>>;
}
