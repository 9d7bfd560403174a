/** Loads the code of `loadConfiguration` on the first call, because that code imports YAML and RE2. */
import type { loadConfiguration as load } from './load.ts';

export const loadConfiguration: typeof load = async (...given) =>
  (await import('./load.ts')).loadConfiguration(...given);
