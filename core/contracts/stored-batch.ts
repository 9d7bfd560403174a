/** What the gateway keeps of files, batches and responses that a caller has at a model provider: whose they are and where, never what is in them. */

/** Endpoints whose calls a batch may hold: the path of a line, and the operation that it stands for. */
export const batchEndpoints = {
  '/v1/chat/completions': 'chat.completions',
  '/v1/embeddings': 'embeddings',
  '/v1/completions': 'completions',
} as const;
export type BatchEndpoint = keyof typeof batchEndpoints;

/** The only purpose a file may have: files of another one would reach models past every filter. */
export const filePurposes = ['batch'] as const;

interface AtProvider {
  /** The gateway's own id; a provider's is of no use to callers. */
  readonly id: string;
  readonly tenant: string;
  readonly key_id: string;
  /** Name of the provider in the configuration, and the provider's id. */
  readonly provider: string;
  readonly provider_id: string;
  /** Seconds since the epoch. */
  readonly created_at: number;
  readonly deleted_at?: number;
  /** As the lines name it, and as aliases resolved it. */
  readonly model: string;
  readonly resolved_model: string;
  /** Of files and batches estimated over all lines; of a response as the provider counted them. */
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** The policy version that the content was checked under. */
  readonly policy_version: number;
}

export interface StoredBatch extends AtProvider {
  readonly kind: 'file' | 'batch';
  readonly endpoint: BatchEndpoint;
  readonly lines: number;
  /** Of a file. */
  readonly filename?: string;
  readonly bytes?: number;
  /** The file that a batch was made of. */
  readonly file?: string;
}

/** A response that its provider keeps, with the whole conversation before it [responses.stored]. */
export interface StoredResponse extends AtProvider {
  readonly kind: 'response';
  readonly session_id: string;
  /** The response that it continues. */
  readonly previous?: string;
  /** Whether it holds tool calls, which were allowed under `policy_version`. */
  readonly calls_tools: boolean;
}

export type StoredObject = StoredBatch | StoredResponse;
