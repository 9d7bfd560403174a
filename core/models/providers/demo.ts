/** Demo answers: the built-in mock answers for a model of another name [models.demo]. */
import type { ProviderEntry } from '#core/contracts/config.ts';

const mockName = /^mock/i;

/** Checks for a demo answer: the mock has only models named `mock…`. */
export const isDemoOf = ({ type }: Pick<ProviderEntry, 'type'>, model: string): boolean =>
  type === 'mock' && !mockName.test(model);

/** Returns the model name in answers of the mock and in the price table. */
export const mockModelName = (model: string): string => (mockName.test(model) ? model : `mock-${model}`);

/** Headers that mark demo answers. */
export const demoHeaders = { 'x-gateway-demo': 'true' } as const;
