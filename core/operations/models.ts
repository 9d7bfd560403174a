/** A tenant's models. */

import { type ListedModel, modelOf, modelsOf } from '#core/chat/models.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { Call, Operation } from './operation.ts';

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
  const [first_id, last_id] = [models[0]?.id ?? null, models.at(-1)?.id ?? null];
  return { body: { data: models.map(anthropicModel), has_more: false, first_id, last_id } };
};

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
