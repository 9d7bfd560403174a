/** What would cost less, from what the tenant has used. */
import { cheaperModels } from '#core/recommendations/cheaper-models.ts';
import type { Operation } from './operation.ts';

export const costRecommendations: Operation = async ({ ports, principal, snapshot, query }) => {
  const { models } = await ports.observations.usage(principal.tenant, query);
  return { body: { tenant: principal.tenant, recommendations: cheaperModels(snapshot.configuration, models) } };
};
