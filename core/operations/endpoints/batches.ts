/** Files and batches that a provider keeps for callers. */
import * as z from 'zod';
import { batchEndpoints } from '#core/contracts/stored-batch.ts';
import { operation } from '../endpoint.ts';
import { pageOf, review } from './chat.ts';
import { count } from './schemas.ts';

const file = z.strictObject({
  id: z.string(),
  object: z.literal('file'),
  bytes: count,
  created_at: count,
  filename: z.string(),
  purpose: z.enum(['batch', 'batch_output']),
  status: z.literal('processed'),
});
/** Batch as its provider describes it, with the gateway's ids. */
const batch = z.looseObject({
  id: z.string(),
  object: z.literal('batch'),
  endpoint: z.string(),
  input_file_id: z.string(),
  output_file_id: z.string().nullable(),
  error_file_id: z.string().nullable(),
});

export const batches = {
  createFile: operation({
    route: 'POST /v1/files',
    function: 'chat-completions',
    role: 'operator',
    summary: 'Upload the calls of a batch (multipart)',
    inputType: 'multipart/form-data',
    also: review,
    input: () =>
      z.looseObject({ purpose: z.literal('batch') }).meta({ description: 'And `file`: JSON Lines, a call in each.' }),
    example: { purpose: 'batch', file: 'calls.jsonl' },
    output: () => file,
  }),
  listFiles: operation({
    route: 'GET /v1/files',
    function: 'chat-completions',
    role: 'operator',
    counts: true,
    query: ['purpose', 'limit', 'after', 'order'],
    summary: 'Files of the caller, newest first',
    output: () => pageOf(file),
  }),
  retrieveFile: operation({
    route: 'GET /v1/files/{id}',
    function: 'chat-completions',
    role: 'operator',
    counts: true,
    summary: 'One file of the caller',
    output: () => file,
  }),
  fileContent: operation({
    route: 'GET /v1/files/{id}/content',
    function: 'chat-completions',
    role: 'operator',
    counts: true,
    summary: 'Results of a batch',
    output: { text: 'application/jsonl' },
  }),
  deleteFile: operation({
    route: 'DELETE /v1/files/{id}',
    function: 'chat-completions',
    role: 'operator',
    counts: true,
    summary: 'Delete a file of the caller',
    output: () => z.strictObject({ id: z.string(), object: z.literal('file'), deleted: z.literal(true) }),
  }),
  createBatch: operation({
    route: 'POST /v1/batches',
    function: 'chat-completions',
    role: 'operator',
    summary: 'Run the calls of a file',
    also: review,
    input: () =>
      z.strictObject({
        input_file_id: z.string(),
        endpoint: z.enum(Object.keys(batchEndpoints)),
        completion_window: z.literal('24h'),
        metadata: z.record(z.string(), z.string()).nullable().optional(),
      }),
    example: { input_file_id: 'file-1', endpoint: '/v1/chat/completions', completion_window: '24h' },
    output: () => batch,
  }),
  listBatches: operation({
    route: 'GET /v1/batches',
    function: 'chat-completions',
    role: 'operator',
    counts: true,
    query: ['limit', 'after'],
    summary: 'Batches of the caller, newest first',
    output: () => pageOf(batch),
  }),
  retrieveBatch: operation({
    route: 'GET /v1/batches/{id}',
    function: 'chat-completions',
    role: 'operator',
    counts: true,
    summary: 'One batch of the caller',
    output: () => batch,
  }),
  cancelBatch: operation({
    route: 'POST /v1/batches/{id}/cancel',
    function: 'chat-completions',
    role: 'operator',
    counts: true,
    summary: 'Cancel a batch',
    output: () => batch,
  }),
};
