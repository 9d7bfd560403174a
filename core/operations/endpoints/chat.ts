/** Chat calls in both dialects, and other model endpoints. */
import * as z from 'zod';
import { count, health } from '#core/contracts/answers/parts.ts';
import { operation } from '../endpoint.ts';

/** Chat request. Members not listed here pass through unchanged in both directions. */
const chatRequest = z.looseObject({
  model: z.string().min(1),
  messages: z.array(z.looseObject({ role: z.string() })).min(1),
  stream: z.boolean().optional(),
});
export const review = { status: 202, description: 'A person has to approve; retry with X-Approval-Ref' } as const;
const images = z.looseObject({
  data: z.array(z.looseObject({ url: z.string().optional(), b64_json: z.string().optional() })).min(1),
});
/** Form fields sent in addition to the file. */
const speech = z.looseObject({
  model: z.string().min(1),
  prompt: z.string().optional(),
  response_format: z.string().optional(),
});
const transcript = z.looseObject({ text: z.string() });
export const pageOf = (item: z.ZodType) =>
  z.strictObject({
    object: z.literal('list'),
    data: z.array(item),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  });

const hello = [{ role: 'user', content: 'Hello' }];
/** The bytes of an uploaded file, represented by its name. */
const recording = { model: 'whisper-1', file: 'talk.wav' };

export const chat = {
  gatewayHealth: operation({
    id: 'health',
    route: 'GET /health',
    function: 'models',
    role: 'open',
    summary: 'Health and version',
    output: health,
  }),
  reachable: operation({
    route: 'GET /',
    function: 'models',
    role: 'open',
    summary: 'Lets clients check by HEAD whether the address responds',
    output: health,
  }),
  chatCompletions: operation({
    route: 'POST /v1/chat/completions',
    function: 'chat-completions',
    role: 'operator',
    summary: 'A chat completion',
    streams: true,
    also: review,
    input: () => chatRequest,
    example: { model: 'gpt-4o', messages: hello },
    output: () =>
      z.looseObject({
        id: z.string(),
        object: z.literal('chat.completion'),
        created: z.int(),
        model: z.string(),
        choices: z.array(z.looseObject({ index: z.int(), message: z.looseObject({ role: z.literal('assistant') }) })),
        usage: z.looseObject({ prompt_tokens: count, completion_tokens: count, total_tokens: count }).optional(),
      }),
  }),
  embeddings: operation({
    route: 'POST /v1/embeddings',
    function: 'chat-completions',
    role: 'operator',
    summary: 'Embeddings of texts',
    also: review,
    input: () => z.looseObject({ model: z.string().min(1), input: z.union([z.string(), z.array(z.string()).min(1)]) }),
    example: { model: 'text-embedding-3-small', input: 'Hello' },
    output: () =>
      z.strictObject({
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
  }),
  completions: operation({
    route: 'POST /v1/completions',
    function: 'chat-completions',
    role: 'operator',
    summary: 'A completion of a prompt',
    also: review,
    input: () =>
      z.looseObject({
        model: z.string().min(1),
        prompt: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]),
      }),
    example: { model: 'gpt-3.5-turbo-instruct', prompt: 'Hello' },
    output: () => z.looseObject({ choices: z.array(z.looseObject({ text: z.string() })).min(1) }),
  }),
  moderations: operation({
    route: 'POST /v1/moderations',
    function: 'chat-completions',
    role: 'operator',
    summary: 'Moderation of text',
    also: review,
    input: () =>
      z.looseObject({
        model: z.string().min(1).optional(),
        input: z.union([z.string().min(1), z.array(z.string().min(1)).min(1), z.array(z.looseObject({})).min(1)]),
      }),
    example: { model: 'omni-moderation-latest', input: 'Hello' },
    output: () => z.looseObject({ results: z.array(z.looseObject({ flagged: z.boolean() })).min(1) }),
  }),
  images: operation({
    route: 'POST /v1/images/generations',
    function: 'chat-completions',
    role: 'operator',
    summary: 'Images of a prompt',
    also: review,
    input: () => z.looseObject({ model: z.string().min(1), prompt: z.string().min(1), n: count.optional() }),
    example: { model: 'gpt-image-1', prompt: 'A cat' },
    output: () => images,
  }),
  imageEdits: operation({
    route: 'POST /v1/images/edits',
    function: 'chat-completions',
    role: 'operator',
    summary: 'Edits of images (multipart)',
    inputType: 'multipart/form-data',
    also: review,
    input: () => z.looseObject({ model: z.string().min(1), prompt: z.string().optional() }),
    example: { model: 'gpt-image-1', prompt: 'Add a hat', image: 'cat.png' },
    output: () => images,
  }),
  transcriptions: operation({
    route: 'POST /v1/audio/transcriptions',
    function: 'chat-completions',
    role: 'operator',
    summary: 'Transcribe speech (multipart)',
    inputType: 'multipart/form-data',
    also: review,
    input: () => speech,
    example: recording,
    output: () => transcript,
  }),
  translations: operation({
    route: 'POST /v1/audio/translations',
    function: 'chat-completions',
    role: 'operator',
    summary: 'Translate speech to English text (multipart)',
    inputType: 'multipart/form-data',
    also: review,
    input: () => speech,
    example: recording,
    output: () => transcript,
  }),
  speech: operation({
    route: 'POST /v1/audio/speech',
    function: 'chat-completions',
    role: 'operator',
    summary: 'Speech of a text',
    also: review,
    input: () => z.looseObject({ model: z.string().min(1), input: z.string().min(1), voice: z.unknown().optional() }),
    example: { model: 'tts-1', voice: 'alloy', input: 'Hello' },
    output: { bytes: 'audio/*' },
  }),
};

export const messages = {
  messages: operation({
    route: 'POST /v1/messages',
    function: 'messages',
    role: 'operator',
    query: ['beta'],
    summary: 'A messages call, as Anthropic clients send it',
    streams: true,
    also: review,
    errors: 'messages',
    input: () => chatRequest,
    example: { model: 'claude-sonnet-4-5', max_tokens: 256, messages: hello },
    output: () =>
      z.looseObject({
        id: z.string(),
        type: z.literal('message'),
        role: z.literal('assistant'),
        model: z.string(),
        content: z.array(z.looseObject({ type: z.string() })),
        stop_reason: z.string().nullable(),
        usage: z.looseObject({ input_tokens: count, output_tokens: count }),
      }),
  }),
  countTokens: operation({
    route: 'POST /v1/messages/count_tokens',
    function: 'count-tokens',
    role: 'operator',
    counts: true,
    query: ['beta'],
    summary: 'Estimate of input tokens',
    errors: 'messages',
    input: () => chatRequest,
    example: { model: 'claude-sonnet-4-5', messages: hello },
    output: () => z.strictObject({ input_tokens: count }),
  }),
};
