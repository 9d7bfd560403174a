/** Published JSON Schema, generated from the zod schema and used for completion in editors. */
import * as z from 'zod';
import type { ConfigurationSchema } from '#core/contracts/config.ts';

/**
 * Returns the schema as draft 7, which YAML language servers support best, in `input` form, because members with
 * defaults may be omitted.
 */
export const configurationJsonSchema = (schema: ConfigurationSchema): Record<string, unknown> =>
  z.toJSONSchema(schema, { target: 'draft-7', io: 'input', reused: 'inline' }) as Record<string, unknown>;
