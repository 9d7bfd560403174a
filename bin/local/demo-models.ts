/**
 * Lists the built-in mock's models for the banner: its patterns, and the names that no pattern covers [models.demo].
 */
import type { Configuration } from '#core/contracts/config.ts';
import { modelMatches } from '#core/models/routing/model-glob.ts';

export function demoModels({ providers }: Pick<Configuration, 'providers'>): string[] {
  const models = providers.filter(({ type, enabled }) => type === 'mock' && enabled).flatMap((entry) => entry.models);
  const patterns = models.filter((name) => /[*?[\]{}]/.test(name));
  const others = models.filter(
    (name) => !patterns.includes(name) && !patterns.some((each) => modelMatches(each, name)),
  );
  return [...new Set([...others, ...patterns])];
}
