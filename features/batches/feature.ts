/** Files and batches that a provider stores for callers. */
import * as z from 'zod';
import { count } from '#core/contracts/answers/parts.ts';
import { batchEndpoints } from '#core/contracts/stored-batch.ts';
import { operation } from '#core/operations/endpoint.ts';
import { pageOf, review } from '#core/operations/endpoints/chat.ts';
import type { Feature } from '../feature.ts';

const file = z.strictObject({
  id: z.string(),
  object: z.literal('file'),
  bytes: count,
  created_at: count,
  filename: z.string(),
  purpose: z.enum(['batch', 'batch_output']),
  status: z.literal('processed'),
});
/** Batch as described by its provider, with the gateway's ids. */
const batch = z.looseObject({
  id: z.string(),
  object: z.literal('batch'),
  endpoint: z.string(),
  input_file_id: z.string(),
  output_file_id: z.string().nullable(),
  error_file_id: z.string().nullable(),
});

export const feature = {
  operations: {
    createFile: operation({
      route: 'POST /v1/files',
      function: 'chat-completions',
      role: 'operator',
      summary: 'Upload the calls of a batch (multipart)',
      inputType: 'multipart/form-data',
      also: review,
      input: () =>
        z
          .looseObject({ purpose: z.literal('batch') })
          .meta({ description: 'Together with `file`: JSON Lines, one call per line.' }),
      example: { purpose: 'batch', file: 'calls.jsonl' },
      output: () => file,
      view: async () => (await import('#features/batches/views.ts')).uploadView,
    }),
    listFiles: operation({
      route: 'GET /v1/files',
      function: 'chat-completions',
      role: 'operator',
      counts: true,
      query: ['purpose', 'limit', 'after', 'order'],
      summary: 'Files of the caller, newest first',
      output: () => pageOf(file),
      stored: async () => (await import('#features/batches/operations.ts')).listFiles,
    }),
    retrieveFile: operation({
      route: 'GET /v1/files/{id}',
      function: 'chat-completions',
      role: 'operator',
      counts: true,
      summary: 'One file of the caller',
      output: () => file,
      stored: async () => (await import('#features/batches/operations.ts')).retrieveFile,
    }),
    fileContent: operation({
      route: 'GET /v1/files/{id}/content',
      function: 'chat-completions',
      role: 'operator',
      counts: true,
      summary: 'Results of a batch',
      output: { text: 'application/jsonl' },
      stored: async () => (await import('#features/batches/operations.ts')).fileContent,
    }),
    deleteFile: operation({
      route: 'DELETE /v1/files/{id}',
      function: 'chat-completions',
      role: 'operator',
      counts: true,
      summary: 'Delete a file of the caller',
      output: () => z.strictObject({ id: z.string(), object: z.literal('file'), deleted: z.literal(true) }),
      stored: async () => (await import('#features/batches/operations.ts')).deleteFile,
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
      view: async () => (await import('#features/batches/views.ts')).startView,
    }),
    listBatches: operation({
      route: 'GET /v1/batches',
      function: 'chat-completions',
      role: 'operator',
      counts: true,
      query: ['limit', 'after'],
      summary: 'Batches of the caller, newest first',
      output: () => pageOf(batch),
      stored: async () => (await import('#features/batches/operations.ts')).listBatches,
    }),
    retrieveBatch: operation({
      route: 'GET /v1/batches/{id}',
      function: 'chat-completions',
      role: 'operator',
      counts: true,
      summary: 'One batch of the caller',
      output: () => batch,
      stored: async () => (await import('#features/batches/operations.ts')).retrieveBatch,
    }),
    cancelBatch: operation({
      route: 'POST /v1/batches/{id}/cancel',
      function: 'chat-completions',
      role: 'operator',
      counts: true,
      summary: 'Cancel a batch',
      output: () => batch,
      stored: async () => (await import('#features/batches/operations.ts')).cancelBatch,
    }),
  },
  rights: { 'chat-completions': { tables: { batches: 'append' }, queries: ['batches'] } },
} satisfies Feature;
