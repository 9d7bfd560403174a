/** The levels of organisations, derived from the environments, which are the lowest level. */
import type { AnswerOf } from '#core/operations/endpoints.ts';

type Environments = AnswerOf<'listEnvironments'>['environments'];

/** Returns the paths of environments and of every level above them, without duplicates, in order. */
export function levelsOf(environments: readonly Pick<Environments[number], 'path'>[]): readonly string[] {
  const levels = environments.flatMap(({ path }) => {
    const parts = path.split('/');
    return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
  });
  return [...new Set(levels)].sort();
}
