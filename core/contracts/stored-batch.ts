/** Records of files, batches and responses stored at model providers: owner and location, never the content. */

/** Endpoints allowed in a batch: the path in a line, and its operation. */
export const batchEndpoints = {
  '/v1/chat/completions': 'chat.completions',
  '/v1/embeddings': 'embeddings',
  '/v1/completions': 'completions',
} as const;
export type BatchEndpoint = keyof typeof batchEndpoints;

/** The only allowed purpose of a file. Files with other purposes would reach models without any filter. */
export const filePurposes = ['batch'] as const;

interface AtProvider {
  /** The gateway's own id. Callers cannot use the provider's id. */
  readonly id: string;
  readonly tenant: string;
  readonly key_id: string;
  /** Name of the provider in the configuration, and the provider's id. */
  readonly provider: string;
  readonly provider_id: string;
  /** Seconds since the epoch. */
  readonly created_at: number;
  readonly deleted_at?: number;
  /** The model's name in the lines, and its name after resolving aliases. */
  readonly model: string;
  readonly resolved_model: string;
  /** For files and batches, an estimate over all lines. For a response, the provider's count. */
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** The policy version under which the content was checked. */
  readonly policy_version: number;
}

export interface StoredBatch extends AtProvider {
  readonly kind: 'file' | 'batch';
  readonly endpoint: BatchEndpoint;
  readonly lines: number;
  /** Name of a file. */
  readonly filename?: string;
  readonly bytes?: number;
  /** The input file of a batch. */
  readonly file?: string;
}

/** Response stored at its provider, including the whole earlier conversation [responses.stored]. */
export interface StoredResponse extends AtProvider {
  readonly kind: 'response';
  readonly session_id: string;
  /** The response that this one continues. */
  readonly previous?: string;
  /** Whether it contains tool calls, which were allowed under `policy_version`. */
  readonly calls_tools: boolean;
}

export type StoredObject = StoredBatch | StoredResponse;
