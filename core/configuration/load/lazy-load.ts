/** `loadConfiguration`, itself loaded with the first configuration that is sent: it brings YAML and RE2 with it. */
import type { loadConfiguration as load } from './load.ts';

export const loadConfiguration: typeof load = async (...given) =>
  (await import('./load.ts')).loadConfiguration(...given);
