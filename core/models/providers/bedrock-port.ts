/** What the Bedrock provider needs of the AWS SDK; `adapters/aws/bedrock.ts` loads it. */

export interface BedrockTarget {
  /** @default the environment's region */
  readonly region: string | undefined;
  /** @default AWS's own */
  readonly endpoint: string | undefined;
  /** A Bedrock API key; without one the environment's AWS credentials sign. */
  readonly apiKey: string | undefined;
  /** Until the answer begins, and between its events. */
  readonly timeoutMs: number;
}

/** Both calls throw what the SDK throws, HttpFault for time-outs. Aborting closes the connection. */
export interface Bedrock {
  converse(target: BedrockTarget, input: ConverseInput, signal: AbortSignal): Promise<ConverseOutput>;
  converseStream(target: BedrockTarget, input: ConverseInput, signal: AbortSignal): Promise<ConverseStream>;
}

/** As the API names its members; bytes as Uint8Array, as the SDK has them. */
export type ConverseInput = { readonly modelId: string } & Readonly<Record<string, unknown>>;
interface ConverseOutput {
  readonly requestId: string;
  readonly output: Readonly<Record<string, unknown>>;
}
interface ConverseStream {
  readonly requestId: string;
  readonly events: AsyncIterable<Readonly<Record<string, unknown>>>;
}
