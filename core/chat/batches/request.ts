/** The two chat calls that create a batch: the upload of its lines, and its start. */
import type { StoredBatch } from '#core/contracts/stored-batch.ts';
import type { BatchFile } from './lines.ts';

export type BatchRequest =
  | {
      readonly kind: 'upload';
      readonly file: BatchFile;
      readonly filename: string;
      readonly bytes: number;
    }
  | { readonly kind: 'start'; readonly file: StoredBatch };

/**
 * Estimates the cost of a call: none for an upload, the maximum of all lines for the start of a batch [batches.budget].
 */
export function batchEstimate(batch: BatchRequest): { readonly inputTokens: number; readonly maxTokens: number } {
  if (batch.kind === 'upload') return { inputTokens: 0, maxTokens: 0 };
  const { input_tokens, output_tokens } = batch.file;
  return { inputTokens: input_tokens, maxTokens: output_tokens };
}
