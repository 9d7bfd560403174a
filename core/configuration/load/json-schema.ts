/** Published JSON Schema, generated from the zod schema and used for completion in editors. */
import * as z from 'zod';
import { configurationSchema } from '#core/contracts/config.ts';

/**
 * Returns the schema as draft 7, which YAML language servers support best, in `input` form, because members with
 * defaults may be omitted.
 */
export const configurationJsonSchema = (): Record<string, unknown> =>
  z.toJSONSchema(configurationSchema, { target: 'draft-7', io: 'input', reused: 'inline' }) as Record<string, unknown>;
