/**
 * Finds cheaper models from the same providers [admin.cost-recommendations]. People must judge whether they are good
 * enough.
 */
import type { Configuration } from '#core/contracts/config.ts';
import { costOf } from '#core/limits/prices.ts';
import { modelGlob } from '#core/models/routing/model-glob.ts';
import { planRoute } from '#core/models/routing/plan.ts';
import type { ModelUsage } from '#core/observatory/ports.ts';

export interface Recommendation {
  readonly kind: 'cheaper_model' | 'cache_potential' | 'repeated_request';
  readonly message: string;
  readonly saving_usd: number;
  /** Figures behind the recommendation. */
  readonly figures: Readonly<Record<string, number | string>>;
}

/** Minimum saving that justifies a change. */
const leastShare = 0.1;

/** Returns the cheapest alternative for each model that has costs, with the largest saving first. */
export function cheaperModels(configuration: Configuration, used: readonly ModelUsage[]): Recommendation[] {
  return used.flatMap((usage) => cheaperModel(configuration, usage) ?? []).sort((a, b) => b.saving_usd - a.saving_usd);
}

function cheaperModel(configuration: Configuration, usage: ModelUsage): Recommendation | undefined {
  const { model, input_tokens, output_tokens } = usage;
  const tokens = { input_tokens, output_tokens };
  const now = costOf(configuration, model, tokens);
  if (now.estimated || now.microusd === 0) return undefined;
  const offers = servedBeside(configuration, model)
    .map((name) => ({ name, ...costOf(configuration, name, tokens) }))
    .filter(({ estimated, microusd }) => !estimated && microusd < now.microusd * (1 - leastShare))
    .sort((a, b) => a.microusd - b.microusd || (a.name < b.name ? -1 : 1));
  const [offer] = offers;
  if (!offer) return undefined;
  const [usd, offered] = [now.microusd / 1e6, offer.microusd / 1e6];
  const saving = Math.round((usd - offered) * 1e6) / 1e6;
  return {
    kind: 'cheaper_model',
    message: `${offer.name} is served alongside ${model} and costs ${offered.toFixed(2)} instead of ${usd.toFixed(2)} USD for the same tokens.`,
    saving_usd: saving,
    figures: {
      model,
      cheaper_model: offer.name,
      requests: usage.requests,
      input_tokens,
      output_tokens,
      cost_usd: usd,
      cheaper_cost_usd: offered,
    },
  };
}

/** Returns the other models listed by name for a provider on this model's route. */
function servedBeside(configuration: Configuration, model: string): string[] {
  const providers = planRoute(configuration, model, new Map())?.candidates.map(({ entry }) => entry) ?? [];
  const priced = (configuration.prices.table?.models ?? []).flatMap(({ match }) =>
    match.replace(/^\{|\}$/g, '').split(','),
  );
  const listed = providers.flatMap(({ models }) => {
    const globs = models.map(modelGlob);
    return [...models, ...priced.filter((name) => globs.some((matches) => matches(name)))];
  });
  return [...new Set(listed)].filter((name) => name !== model && !/[*?[\]{}]/.test(name));
}
