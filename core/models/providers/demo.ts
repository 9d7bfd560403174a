/** Demo answers: the built-in mock answers for a model of another name [models.demo-last] [models.demo-marked]. */
import type { ProviderEntry } from '#core/contracts/config.ts';

const mockName = /^mock/i;

/** Whether an answer of the provider for the model is a demo answer: the mock has no model but those named `mock…`. */
export const isDemoOf = ({ type }: Pick<ProviderEntry, 'type'>, model: string): boolean =>
  type === 'mock' && !mockName.test(model);

/** The name of the model in an answer of the mock, and in the price table. */
export const mockModelName = (model: string): string => (mockName.test(model) ? model : `mock-${model}`);

/** Marks demo answers in headers. */
export const demoHeaders = { 'x-gateway-demo': 'true' } as const;
