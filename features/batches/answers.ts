/** Files and batches for callers: in OpenAI's format, with the gateway's ids. */
import type { StoredBatch } from '#core/contracts/stored-batch.ts';
import type { GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { textOf } from '#core/kernel/narrow.ts';
import { resultFileId } from './names.ts';

export const fileObject = ({ id, bytes = 0, created_at, filename = '' }: StoredBatch): JsonObject => ({
  id,
  object: 'file',
  bytes,
  created_at,
  filename,
  purpose: 'batch',
  status: 'processed',
});

/** Builds a batch from the provider's object. The caller never sees the provider's ids. */
export function batchObject(stored: StoredBatch, reply: JsonObject): JsonObject {
  const { id, file, endpoint } = stored;
  const has = (member: 'output_file_id' | 'error_file_id') => (textOf(reply[member]) ?? '') !== '';
  return {
    ...reply,
    id,
    object: 'batch',
    endpoint,
    input_file_id: file ?? '',
    output_file_id: has('output_file_id') ? resultFileId(id, 'output') : null,
    error_file_id: has('error_file_id') ? resultFileId(id, 'error') : null,
  };
}

/** Returns a batch whose current state is unknown: `status` is null and `errors` gives the reason. */
export const unknownBatch = (stored: StoredBatch, { code, message, kind }: GatewayError): JsonObject => ({
  ...batchObject(stored, {}),
  completion_window: '24h',
  created_at: stored.created_at,
  status: null,
  errors: {
    object: 'list',
    data: [
      {
        code,
        message: `The provider ${stored.provider} returned no answer about this batch${kind.shown ? `: ${message}` : '.'}`,
        param: null,
        line: null,
      },
    ],
  },
});
