/** Records of files, batches and responses stored at model providers: owner and location, but never the content. */

/** Endpoints allowed in a batch: the path in a line and its operation. */
export const batchEndpoints = {
  '/v1/chat/completions': 'chat.completions',
  '/v1/embeddings': 'embeddings',
  '/v1/completions': 'completions',
} as const;
export type BatchEndpoint = keyof typeof batchEndpoints;

/** The only allowed file purpose. Files with other purposes would reach models without passing any filter. */
export const filePurposes = ['batch'] as const;

interface ProviderObject {
  /** The gateway's own id. Callers cannot use the provider's id. */
  readonly id: string;
  readonly tenant: string;
  readonly key_id: string;
  /** The provider's name in the configuration, and the provider's own id for the object. */
  readonly provider: string;
  readonly provider_id: string;
  /** Seconds since the epoch. */
  readonly created_at: number;
  readonly deleted_at?: number;
  /** The model's name in the lines, and the name after resolving aliases. */
  readonly model: string;
  readonly resolved_model: string;
  /** An estimate over all lines for files and batches; the provider's count for a response. */
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** The policy version under which the content was checked. */
  readonly policy_version: number;
}

export interface StoredBatch extends ProviderObject {
  readonly kind: 'file' | 'batch';
  readonly endpoint: BatchEndpoint;
  readonly lines: number;
  /** The file's name. */
  readonly filename?: string;
  readonly bytes?: number;
  /** The input file of a batch. */
  readonly file?: string;
}

/** Response stored at its provider, including the whole earlier conversation [responses.stored]. */
export interface StoredResponse extends ProviderObject {
  readonly kind: 'response';
  readonly session_id: string;
  /** The response that this one continues from. */
  readonly previous?: string;
}

export type StoredObject = StoredBatch | StoredResponse;
