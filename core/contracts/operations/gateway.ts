/** Chat calls in both dialects, models, cancellation, and the callbacks of channels. */
import * as z from 'zod';
import { batchEndpoints } from '../stored-batch.ts';
import { count, type OperationContract } from './operation.ts';

/** Chat request. Other members pass through unchanged in both directions. */
const chatRequest = z.looseObject({
  model: z.string().min(1),
  messages: z.array(z.looseObject({ role: z.string() })).min(1),
  stream: z.boolean().optional(),
});
const review = { status: 202, description: 'A person has to approve; retry with X-Approval-Ref' } as const;

const model = z.looseObject({ id: z.string(), object: z.literal('model'), created: z.int(), owned_by: z.string() });
/** Model in the format for callers that send `anthropic-version`. */
const anthropicModel = z.strictObject({
  id: z.string(),
  type: z.literal('model'),
  display_name: z.string(),
  created_at: z.iso.datetime(),
});

const images = z.looseObject({
  data: z.array(z.looseObject({ url: z.string().optional(), b64_json: z.string().optional() })).min(1),
});
/** Form fields in addition to the file. */
const speech = z.looseObject({
  model: z.string().min(1),
  prompt: z.string().optional(),
  response_format: z.string().optional(),
});
const transcript = z.looseObject({ text: z.string() });

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
const pageOf = (item: z.ZodType) =>
  z.strictObject({
    object: z.literal('list'),
    data: z.array(item),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  });

const response = z.looseObject({
  id: z.string(),
  object: z.literal('response'),
  created_at: z.int(),
  model: z.string(),
  status: z.enum(['completed', 'incomplete']),
  output: z.array(z.looseObject({ id: z.string(), type: z.string() })),
  store: z.boolean().meta({ description: 'Whether it is kept: then it can be read, continued and deleted.' }),
});

export const gateway = {
  reachable: { output: z.strictObject({ status: z.literal('ok'), version: z.string() }) },
  chatCompletions: {
    input: chatRequest,
    streams: true,
    also: review,
    output: z.looseObject({
      id: z.string(),
      object: z.literal('chat.completion'),
      created: z.int(),
      model: z.string(),
      choices: z.array(z.looseObject({ index: z.int(), message: z.looseObject({ role: z.literal('assistant') }) })),
      usage: z.looseObject({ prompt_tokens: count, completion_tokens: count, total_tokens: count }).optional(),
    }),
  },
  messages: {
    input: chatRequest,
    streams: true,
    also: review,
    errors: 'messages',
    output: z.looseObject({
      id: z.string(),
      type: z.literal('message'),
      role: z.literal('assistant'),
      model: z.string(),
      content: z.array(z.looseObject({ type: z.string() })),
      stop_reason: z.string().nullable(),
      usage: z.looseObject({ input_tokens: count, output_tokens: count }),
    }),
  },
  responses: {
    input: z.looseObject({
      model: z.string().min(1),
      input: z.union([z.string(), z.array(z.looseObject({}))]),
      stream: z.boolean().optional(),
      store: z.boolean().nullable().optional(),
      previous_response_id: z.string().nullable().optional(),
    }),
    streams: true,
    also: review,
    output: response,
  },
  retrieveResponse: { output: response },
  responseItems: { output: pageOf(z.looseObject({ type: z.string() })) },
  deleteResponse: {
    output: z.strictObject({ id: z.string(), object: z.literal('response'), deleted: z.literal(true) }),
  },
  embeddings: {
    input: z.looseObject({ model: z.string().min(1), input: z.union([z.string(), z.array(z.string()).min(1)]) }),
    also: review,
    output: z.strictObject({
      object: z.literal('list'),
      data: z.array(
        z.strictObject({
          object: z.literal('embedding'),
          index: count,
          embedding: z.union([z.array(z.number()), z.string()]),
        }),
      ),
      model: z.string(),
      usage: z.looseObject({ prompt_tokens: count, total_tokens: count }),
    }),
  },
  completions: {
    input: z.looseObject({
      model: z.string().min(1),
      prompt: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]),
    }),
    also: review,
    output: z.looseObject({ choices: z.array(z.looseObject({ text: z.string() })).min(1) }),
  },
  moderations: {
    input: z.looseObject({
      model: z.string().min(1).optional(),
      input: z.union([z.string().min(1), z.array(z.string().min(1)).min(1), z.array(z.looseObject({})).min(1)]),
    }),
    also: review,
    output: z.looseObject({ results: z.array(z.looseObject({ flagged: z.boolean() })).min(1) }),
  },
  images: {
    input: z.looseObject({ model: z.string().min(1), prompt: z.string().min(1), n: count.optional() }),
    also: review,
    output: images,
  },
  imageEdits: {
    input: z.looseObject({ model: z.string().min(1), prompt: z.string().optional() }),
    inputType: 'multipart/form-data',
    also: review,
    output: images,
  },
  transcriptions: { input: speech, inputType: 'multipart/form-data', also: review, output: transcript },
  translations: { input: speech, inputType: 'multipart/form-data', also: review, output: transcript },
  speech: {
    input: z.looseObject({ model: z.string().min(1), input: z.string().min(1), voice: z.unknown().optional() }),
    also: review,
    output: { bytes: 'audio/*' },
  },
  createFile: {
    input: z
      .looseObject({ purpose: z.literal('batch') })
      .meta({ description: 'And `file`: JSON Lines, a call in each.' }),
    inputType: 'multipart/form-data',
    also: review,
    output: file,
  },
  listFiles: { output: pageOf(file) },
  retrieveFile: { output: file },
  fileContent: { output: { text: 'application/jsonl' } },
  deleteFile: { output: z.strictObject({ id: z.string(), object: z.literal('file'), deleted: z.literal(true) }) },
  createBatch: {
    input: z.strictObject({
      input_file_id: z.string(),
      endpoint: z.enum(Object.keys(batchEndpoints)),
      completion_window: z.literal('24h'),
      metadata: z.record(z.string(), z.string()).nullable().optional(),
    }),
    also: review,
    output: batch,
  },
  listBatches: { output: pageOf(batch) },
  retrieveBatch: { output: batch },
  cancelBatch: { output: batch },
  countTokens: { input: chatRequest, errors: 'messages', output: z.strictObject({ input_tokens: count }) },
  listModels: {
    output: z.union([
      z.strictObject({ object: z.literal('list'), data: z.array(model) }),
      z.strictObject({
        data: z.array(anthropicModel),
        has_more: z.boolean(),
        first_id: z.string().nullable(),
        last_id: z.string().nullable(),
      }),
    ]),
  },
  getModel: { output: z.union([model, anthropicModel]) },
  cancelRequest: { status: 202, output: z.strictObject({ id: z.string(), status: z.literal('cancelling') }) },
  slackCallback: {
    input: z.looseObject({}).meta({ description: 'As Slack sends it.' }),
    inputType: 'application/x-www-form-urlencoded',
    output: { text: 'text/plain' },
    example: '',
  },
  githubCallback: {
    input: z.looseObject({}).meta({ description: 'As GitHub sends it.' }),
    output: z.strictObject({ text: z.string().meta({ description: 'What became of the vote, in words.' }) }),
    also: { status: 202, description: 'The delivery holds no command, so nothing was decided.' },
    example: { text: 'scm.create_pull_request: approved by alice.' },
  },
} satisfies Record<string, OperationContract>;
