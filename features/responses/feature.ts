/** OpenAI's Responses API over chat completions, and responses that a provider keeps for callers. */
import * as z from 'zod';
import { operation } from '#core/operations/endpoint.ts';
import { pageOf, review } from '#core/operations/endpoints/chat.ts';
import type { Feature } from '../feature.ts';

const response = z.looseObject({
  id: z.string(),
  object: z.literal('response'),
  created_at: z.int(),
  model: z.string(),
  status: z.enum(['completed', 'incomplete']),
  output: z.array(z.looseObject({ id: z.string(), type: z.string() })),
  store: z
    .boolean()
    .meta({ description: 'Whether the response is kept. A kept response can be read, continued and deleted.' }),
});

export const feature = {
  operations: {
    responses: operation({
      route: 'POST /v1/responses',
      function: 'chat-completions',
      role: 'operator',
      summary: 'A response, as OpenAI clients request it',
      streams: true,
      also: review,
      input: () =>
        z.looseObject({
          model: z.string().min(1),
          input: z.union([z.string(), z.array(z.looseObject({}))]),
          stream: z.boolean().optional(),
          store: z.boolean().nullable().optional(),
          previous_response_id: z.string().nullable().optional(),
        }),
      example: { model: 'gpt-4o', input: 'Hello' },
      output: () => response,
      view: async () => (await import('#features/responses/view.ts')).responsesView,
    }),
    retrieveResponse: operation({
      route: 'GET /v1/responses/{id}',
      function: 'chat-completions',
      role: 'operator',
      counts: true,
      summary: 'A response of the caller that its provider keeps',
      output: () => response,
      stored: async () => (await import('#features/responses/operations.ts')).retrieveResponse,
    }),
    deleteResponse: operation({
      route: 'DELETE /v1/responses/{id}',
      function: 'chat-completions',
      role: 'operator',
      counts: true,
      summary: 'Delete a response of the caller',
      output: () => z.strictObject({ id: z.string(), object: z.literal('response'), deleted: z.literal(true) }),
      stored: async () => (await import('#features/responses/operations.ts')).deleteResponse,
    }),
    responseItems: operation({
      route: 'GET /v1/responses/{id}/input_items',
      function: 'chat-completions',
      role: 'operator',
      counts: true,
      query: ['limit', 'after', 'order'],
      summary: 'Input items of a response of the caller',
      output: () => pageOf(z.looseObject({ type: z.string() })),
      stored: async () => (await import('#features/responses/operations.ts')).responseItems,
    }),
  },
  rights: { 'chat-completions': { tables: { batches: 'append' } } },
} satisfies Feature;
