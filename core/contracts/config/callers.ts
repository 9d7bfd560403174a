/** People, keys and tenants: who may call, and within which limits (contract §2). */
import * as z from 'zod';
import { keyKinds, roles } from '../routes.ts';
import { glob, secretName, word } from './words.ts';

export const person = z.strictObject({
  id: word,
  name: z.string().optional(),
  role: z.enum(roles).default('viewer'),
  tenants: z.array(z.string().min(1)).default([]).meta({
    description:
      'Tenants in which the person may act and vote besides the one of the key in use; "*" for all. Without it, votes from chat and Git hosts count in the tenants in which a key names the person.',
  }),
  /** `<team>/<user>`, as Slack names them. */
  slack_id: z
    .string()
    .regex(/^[A-Z0-9]+\/[A-Z0-9]+$/, 'a Slack identity "<team>/<user>", e.g. "T01/U01"')
    .optional(),
  github_login: z.string().min(1).optional(),
  oidc_ids: z
    .array(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}\/[\s\S]{1,256}$/, '"<name of identity.oidc>/<value>"'))
    .optional()
    .meta({ description: 'Values of the claim that names the person, as "<name of identity.oidc>/<value>".' }),
});

const keyFields = {
  role: z.enum(roles).default('operator'),
  kind: z.enum(keyKinds).default('agent'),
  /** The human behind a human key. */
  person: z.string().optional(),
  /** The human who answers for an agent's or service's key. */
  owner: z.string().optional(),
  name: z.string().min(1).max(64).optional(),
  priority: z.enum(['normal', 'critical']).default('normal'),
  /** May change global things. */
  platform: z.boolean().default(false),
};

const plainKey = z
  .string()
  .min(1, 'a key of at least one character')
  .regex(/^[\x21-\x7e]*$/, 'a key of visible ASCII characters, as HTTP headers carry them');

const keyEntry = z.strictObject({
  key: plainKey.optional(),
  key_env: secretName.optional(),
  /** Lower-case hex SHA-256 of the key: how keys are stored. */
  key_sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'a SHA-256 in lower-case hex')
    .optional(),
  ...keyFields,
});

export const transform = z.strictObject({
  system_prompt_prefix: z.string().optional(),
  system_prompt_suffix: z.string().optional(),
  response: z
    .strictObject({
      strip_pii: z.boolean().default(false),
      content_prefix: z.string().optional(),
      content_suffix: z.string().optional(),
      replacements: z.record(z.string(), z.string()).optional(),
    })
    .optional(),
});

export const tenant = z.strictObject({
  id: word,
  name: z.string().optional(),
  api_keys: z
    .array(z.union([plainKey, keyEntry]))
    .min(1, 'at least one API key')
    .meta({
      description: 'A plain string is an operator key of an agent without owner.',
    }),
  rate_limit: z
    .strictObject({
      requests_per_minute: z.int().nonnegative().optional(),
      tokens_per_minute: z.int().nonnegative().optional(),
    })
    .optional(),
  allowed_models: z.array(glob).default(['*']),
  max_body_bytes: z.int().positive().optional(),
  system_prompt: z.string().default(''),
  transform: transform.optional(),
});

export type KeySettings = z.infer<z.ZodObject<typeof keyFields>>;
