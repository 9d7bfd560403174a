/** Loads configurations with the sections of all features. */
import {
  type LoadedConfiguration,
  type LoadOptions,
  loadConfiguration as load,
} from '#core/configuration/load/load.ts';
import { configurationSchema } from './configuration.ts';

/** Loads and checks a configuration. @throws GatewayError `invalid_request` that lists every problem. */
export const loadConfiguration = (text: string, options: Omit<LoadOptions, 'schema'>): Promise<LoadedConfiguration> =>
  load(text, { ...options, schema: configurationSchema });
