/** Demo answers: the built-in mock responds in place of a model with a different name [models.demo]. */
import type { ProviderEntry } from '#core/contracts/config.ts';

const mockName = /^mock/i;

/** Checks whether the mock would give a demo answer for this model: its own models are all named `mock…`. */
export const isDemoOf = ({ type }: Pick<ProviderEntry, 'type'>, model: string): boolean =>
  type === 'mock' && !mockName.test(model);

/** Returns the model name used in the mock's answers and in the price table. */
export const mockModelName = (model: string): string => (mockName.test(model) ? model : `mock-${model}`);

/** Headers that mark demo answers. */
export const demoHeaders = { 'x-gateway-demo': 'true' } as const;
