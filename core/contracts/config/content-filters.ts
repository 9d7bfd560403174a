/** Filters on what is asked of models and what they answer (spec §2.9, contract §1). */
import * as z from 'zod';

const filterActions = ['block', 'review', 'warn', 'log'] as const;
export const piiEntities = ['email', 'ssn', 'credit_card', 'phone', 'iban', 'ip', 'api_key'] as const;
const filterFields = { name: z.string().min(1), action: z.enum(filterActions) };
export const contentFilter = z.discriminatedUnion('type', [
  z.strictObject({ ...filterFields, type: z.literal('keyword'), keywords: z.array(z.string().min(1)).min(1) }),
  z.strictObject({ ...filterFields, type: z.literal('regex'), patterns: z.array(z.string().min(1).max(4096)).min(1) }),
  z.strictObject({
    ...filterFields,
    type: z.literal('pii'),
    /** `redact` replaces what was found and lets the rest pass. */
    action: z.enum([...filterActions, 'redact']),
    entities: z.array(z.enum(piiEntities)).min(1),
  }),
  z.strictObject({
    name: z.string().min(1),
    type: z.literal('wasm'),
    action: z.enum(['block', 'warn', 'log']),
    path: z.string().min(1),
    /** Of the module's bytes, as stored with the configuration; written by hand it pins them. */
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'a SHA-256 in lower-case hex')
      .optional(),
    timeout: z
      .string()
      .regex(/^[1-9]\d{0,4}(ms|s)$/, 'a duration such as 100ms or 2s')
      .default('100ms'),
    on_error: z.enum(['block', 'allow']).default('block'),
  }),
]);
