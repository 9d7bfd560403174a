/** Models and request cancellation. */
import * as z from 'zod';
import { operation } from '../endpoint.ts';

const model = z.looseObject({ id: z.string(), object: z.literal('model'), created: z.int(), owned_by: z.string() });
/** Model in the format returned to callers that send the `anthropic-version` header. */
const anthropicModel = z.strictObject({
  id: z.string(),
  type: z.literal('model'),
  display_name: z.string(),
  created_at: z.iso.datetime(),
});

export const models = {
  cancelRequest: operation({
    route: 'POST /v1/requests/{id}/cancel',
    function: 'models',
    role: 'operator',
    summary: 'Cancel a running request of the same key',
    // Evidence shows whether a request that is no longer running has ended.
    rights: { tables: { evidence: 'get', cancellations: 'write' }, queries: ['evidence.by_time'] },
    status: 202,
    output: () => z.strictObject({ id: z.string(), status: z.literal('cancelling') }),
    run: async () => (await import('#core/operations/cancel-request.ts')).cancelRequest,
  }),
  listModels: operation({
    route: 'GET /v1/models',
    function: 'models',
    role: 'viewer',
    counts: true,
    // Anthropic's clients send these, and Codex its version. OpenAI's list has no pages.
    query: ['after_id', 'before_id', 'beta', 'client_version', 'limit'],
    summary: 'Models the tenant may use',
    output: () =>
      z.union([
        z.strictObject({ object: z.literal('list'), data: z.array(model) }),
        z.strictObject({
          data: z.array(anthropicModel),
          has_more: z.boolean(),
          first_id: z.string().nullable(),
          last_id: z.string().nullable(),
        }),
      ]),
    run: async () => (await import('#core/operations/models.ts')).listModels,
  }),
  getModel: operation({
    route: 'GET /v1/models/{id}',
    function: 'models',
    role: 'viewer',
    counts: true,
    query: ['beta'],
    summary: 'One model the tenant may use',
    output: () => z.union([model, anthropicModel]),
    run: async () => (await import('#core/operations/models.ts')).getModel,
  }),
};
