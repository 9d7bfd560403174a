/** People, keys and tenants, with their limits. */
import * as z from 'zod';
import { keyKinds, roles } from '../route.ts';
import { chatReview } from './approvals.ts';
import { budgetWithModels } from './spending.ts';
import { bodyBytes, glob, secretName, word } from './words.ts';

export const person = z.strictObject({
  id: word.meta({ description: 'Name of the person within the configuration.' }),
  name: z.string().optional().meta({ description: 'Name shown to others.' }),
  role: z.enum(roles).default('viewer').meta({
    description:
      "Role of the person in votes from chat and Git hosts, and the highest role that an issuer's token can give the person. A key has its own role.",
  }),
  tenants: z.array(z.string().min(1)).default([]).meta({
    description:
      'Tenants in which the person may act and vote, in addition to the tenant of the key in use; "*" for all. If absent, votes from chat and Git hosts count in the tenants in which a key names the person.',
  }),
  slack_id: z
    .string()
    .regex(/^[A-Z0-9]+\/[A-Z0-9]+$/, 'a Slack identity "<team>/<user>", e.g. "T01/U01"')
    .optional()
    .meta({ description: 'Slack account whose votes count as the votes of this person, as <team>/<user>.' }),
  github_login: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'GitHub account whose votes count as the votes of this person.' }),
  oidc_ids: z
    .array(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}\/[\s\S]{1,256}$/, '"<name of identity.oidc>/<value>"'))
    .optional()
    .meta({ description: 'Values of the claim that names the person, as "<name of identity.oidc>/<value>".' }),
});

const rateLimit = z.strictObject({
  requests_per_minute: z.int().nonnegative().optional().meta({ description: 'Requests a minute.' }),
  tokens_per_minute: z.int().nonnegative().optional().meta({ description: 'Input and output tokens per minute.' }),
});

/** Fields of a key in every list of keys. */
export const keyFields = {
  role: z
    .enum(roles)
    .default('operator')
    .meta({ description: 'Role of the key; admin includes operator, operator includes viewer.' }),
  kind: z
    .enum(keyKinds)
    .default('agent')
    .meta({ description: 'Who uses the key. Agent keys change nothing on the admin surface; only human keys vote.' }),
  person: z.string().optional().meta({ description: 'Id of the person that a human key belongs to.' }),
  owner: z.string().optional().meta({
    description:
      'Id of the human who answers for the key of an agent or a service. The owner does not vote on its requests.',
  }),
  name: z.string().min(1).max(64).optional().meta({ description: 'Name shown in lists and evidence.' }),
  priority: z
    .enum(['normal', 'critical'])
    .default('normal')
    .meta({ description: 'Requests with "X-Priority: critical" count as critical only for keys with critical.' }),
  platform: z
    .boolean()
    .default(false)
    .meta({ description: 'Whether the key may change global settings: configuration, providers, prices, tenants.' }),
  rate_limit: rateLimit.optional().meta({
    description: 'Limits of this key, in addition to those of its tenant. A value that is absent sets no limit.',
  }),
  budget: budgetWithModels
    .optional()
    .meta({ description: 'Budget of this key, in addition to those of its tenant and of all tenants.' }),
  allowed_models: z.array(glob).optional().meta({
    description: 'Globs of models that this key may use, out of those the tenant may use. If absent, all of them.',
  }),
};

const plainKey = z
  .string()
  .min(1, 'a key of at least one character')
  .regex(/^[\x21-\x7e]*$/, 'a key of visible ASCII characters, as HTTP headers carry them');

const keyEntry = z.strictObject({
  key: plainKey.optional().meta({ description: 'The key itself; only its digest is stored.' }),
  key_env: secretName.optional().meta({ description: 'Environment variable (or secret) with the key.' }),
  key_sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'a SHA-256 in lower-case hex')
    .optional()
    .meta({ description: 'SHA-256 of the key in lower-case hex, the form in which keys are stored.' }),
  ...keyFields,
});

export const transform = z.strictObject({
  system_prompt_prefix: z.string().optional().meta({ description: 'Text before the system prompt of the request.' }),
  system_prompt_suffix: z.string().optional().meta({ description: 'Text after the system prompt of the request.' }),
  response: z
    .strictObject({
      strip_pii: z.boolean().default(false).meta({ description: 'Whether personal data is replaced in responses.' }),
      content_prefix: z.string().optional().meta({ description: 'Text before the response.' }),
      content_suffix: z.string().optional().meta({ description: 'Text after the response.' }),
      replacements: z
        .record(z.string(), z.string())
        .optional()
        .meta({ description: 'Pairs of text and replacement, applied to responses.' }),
    })
    .optional()
    .meta({ description: 'Changes to responses.' }),
});

export const tenant = z.strictObject({
  id: word.meta({ description: 'Name of the tenant in keys, evidence and limits.' }),
  name: z.string().optional().meta({ description: 'Name shown to others.' }),
  api_keys: z.array(z.union([plainKey, keyEntry])).meta({
    description:
      'At least one, except on a data plane. A plain string is a key of kind agent with the role operator and no owner.',
  }),
  rate_limit: rateLimit
    .optional()
    .meta({ description: 'Limits of all keys of the tenant together. A value that is absent sets no limit.' }),
  allowed_models: z.array(glob).default(['*']).meta({ description: 'Globs of models that the tenant may use.' }),
  chat_review: chatReview
    .optional()
    .meta({ description: 'Replaces approvals.chat_review for chat calls of the tenant.' }),
  approval_digest_above: z
    .int()
    .min(0)
    .max(10_000)
    .optional()
    .meta({ description: 'Replaces approvals.digest.above, a number of requests, for the tenant.' }),
  max_body_bytes: bodyBytes
    .optional()
    .meta({ description: 'Largest request body in bytes. If absent, server.max_body_bytes applies.' }),
  system_prompt: z
    .string()
    .default('')
    .meta({ description: 'System prompt put before every chat request of the tenant.' }),
  transform: transform.optional().meta({ description: 'Changes to chat requests and responses of the tenant.' }),
});

export type KeySettings = z.infer<z.ZodObject<typeof keyFields>>;
