/** The published JSON Schema, made from the one zod schema; editors complete the YAML by it. */
import * as z from 'zod';
import { configurationSchema } from '#core/contracts/config.ts';

/** Draft 7, the one YAML language servers know best; `input`, for what has a default may be left out. */
export const configurationJsonSchema = (): Record<string, unknown> =>
  z.toJSONSchema(configurationSchema, { target: 'draft-7', io: 'input', reused: 'inline' }) as Record<string, unknown>;
