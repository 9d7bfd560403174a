/** Filters on model prompts and replies. */
import * as z from 'zod';

const filterActions = ['block', 'review', 'warn', 'log'] as const;
export const piiEntities = ['email', 'ssn', 'credit_card', 'phone', 'iban', 'ip', 'api_key'] as const;
const filterFields = {
  name: z.string().min(1).meta({ description: 'Name of the filter in responses and evidence.' }),
  action: z.enum(filterActions).meta({
    description:
      'What a match does: block refuses, review waits for a human, warn names the filter in the header X-Policy-Warning, log only records the match.',
  }),
};
export const contentFilter = z.discriminatedUnion('type', [
  z.strictObject({
    ...filterFields,
    type: z.literal('keyword').meta({ description: 'Kind of the filter.' }),
    keywords: z
      .array(z.string().min(1))
      .min(1)
      .meta({ description: 'Words and phrases that match, whatever their case.' }),
  }),
  z.strictObject({
    ...filterFields,
    type: z.literal('regex').meta({ description: 'Kind of the filter.' }),
    patterns: z.array(z.string().min(1).max(4096)).min(1).meta({ description: 'Regular expressions in RE2 syntax.' }),
  }),
  z.strictObject({
    ...filterFields,
    type: z.literal('pii').meta({ description: 'Kind of the filter.' }),
    action: z.enum([...filterActions, 'redact']).meta({
      description:
        'What a match does: block refuses, review waits for a human, warn names the filter in the header X-Policy-Warning, log only records the match, redact replaces what was found.',
    }),
    entities: z.array(z.enum(piiEntities)).min(1).meta({ description: 'Kinds of personal data that match.' }),
  }),
  z.strictObject({
    name: z.string().min(1).meta({ description: 'Name of the filter in responses and evidence.' }),
    type: z.literal('wasm').meta({ description: 'Kind of the filter.' }),
    action: z.enum(['block', 'warn', 'log']).meta({
      description:
        'What a match does: block refuses, review waits for a human, warn names the filter in the header X-Policy-Warning, log only records the match, redact replaces what was found.',
    }),
    path: z.string().min(1).meta({ description: 'WASM module, absolute or relative to the working directory.' }),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'a SHA-256 in lower-case hex')
      .optional()
      .meta({ description: 'SHA-256 of the module in lower-case hex. A module with another digest is refused.' }),
    timeout: z
      .string()
      .regex(/^[1-9]\d{0,4}(ms|s)$/, 'a duration such as 100ms or 2s')
      .default('100ms')
      .meta({ description: 'Longest duration of one check, e.g. 100ms or 2s.' }),
    on_error: z
      .enum(['block', 'allow'])
      .default('block')
      .meta({ description: 'What happens on an error or timeout of the module.' }),
  }),
]);
