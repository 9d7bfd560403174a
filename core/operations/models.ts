/** A tenant's models. */

import { type ListedModel, modelOf, modelsOf } from '#core/chat/models.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { type Call, limitOf, type Operation } from './operation.ts';

/**
 * Checks whether the client is an Anthropic client, which sends its API version. All others get OpenAI's format
 * [models.both-forms].
 */
const isAnthropic = ({ header }: Call): boolean => header('anthropic-version') !== undefined;

const anthropicModel = ({ id, created }: ListedModel) => ({
  id,
  type: 'model',
  display_name: id,
  created_at: isoTime(created * 1000),
});

export const listModels: Operation = async (call) => {
  const { configuration, identities } = call.snapshot;
  const models = modelsOf(configuration, call.principal.tenant, identities.limits.get(call.principal.key_id));
  if (!isAnthropic(call)) return { body: { object: 'list', data: models } };
  return { body: anthropicPage(models, call.query) };
};

/** Returns one page of the list in Anthropic's format: all models if the query has no `limit`. */
function anthropicPage(models: readonly ListedModel[], query: Call['query']) {
  const { after_id, before_id } = query;
  const place = (name: string, id: string): number => {
    const found = models.findIndex((model) => model.id === id);
    if (found === -1)
      throw invalidRequest(`${name} is ${JSON.stringify(id.slice(0, 64))}; it must be an id from the list.`);
    return found;
  };
  const from = after_id === undefined ? 0 : place('after_id', after_id) + 1;
  const to = before_id === undefined ? models.length : place('before_id', before_id);
  const asked = models.slice(from, to);
  const limit = limitOf(query, 1000, Math.max(1, asked.length));
  const page = before_id === undefined ? asked.slice(0, limit) : asked.slice(-limit);
  return {
    data: page.map(anthropicModel),
    has_more: page.length < asked.length,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  };
}

/** Returns a model that the tenant may request, even if the configuration only covers it with a pattern. */
export const getModel: Operation = async (call) => {
  const { configuration, identities } = call.snapshot;
  const key = identities.limits.get(call.principal.key_id);
  const found = modelOf(configuration, call.principal.tenant, call.params.id ?? '', key);
  if (!found) {
    const id = JSON.stringify(call.params.id);
    throw new GatewayError(
      'model_not_found',
      `The model ${id} is not served to this ${key?.allowed_models ? 'key' : 'tenant'}; GET /v1/models lists the available models.`,
    );
  }
  return { body: isAnthropic(call) ? anthropicModel(found) : found };
};
