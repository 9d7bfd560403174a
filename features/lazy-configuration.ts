/** The configuration schema, loaded on first use: a function does not check a configuration that it has stored. */
import type { ConfigurationSchema } from '#core/contracts/config.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';

const loaded = lazyImport(() => import('./configuration.ts'));

export const configurationSchema = async (): Promise<ConfigurationSchema> => (await loaded()).configurationSchema;
