/** Schema of the configuration with the sections of all features. */
import { configurationSchemaOf } from '#core/contracts/config.ts';
import * as sections from './sections.ts';

export const configurationSchema = configurationSchemaOf(
  Object.assign({}, ...Object.values(sections)) as sections.FeatureSections,
);
