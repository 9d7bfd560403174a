/** Brokers, what they mint for, and capability tickets (spec §2.6). */
import * as z from 'zod';
import { address, glob, seconds, secretName, word } from './words.ts';

export const broker = z.discriminatedUnion('type', [
  z.strictObject({
    name: word,
    type: z.literal('static'),
    secret_env: secretName,
    credential_type: z.string().min(1).default('static'),
  }),
  z.strictObject({
    name: word,
    type: z.literal('scm_app'),
    app_id: z.string().min(1),
    installation_id: z.string().min(1).optional(),
    /** PEM of the RSA key that signs the app's tokens. */
    private_key_env: secretName,
    /** A local run without that variable makes a key of its own, for demonstrations. */
    generated_key: z.boolean().default(false),
    api_url: address.optional(),
  }),
  z.strictObject({
    name: word,
    type: z.literal('sts'),
    role_arn: z.string().regex(/^arn:[a-z-]+:iam::\d{12}:role\/.+$/, 'the ARN of an IAM role'),
    region: z.string().min(1).optional(),
    external_id_env: secretName.optional(),
  }),
  z.strictObject({
    name: word,
    type: z.literal('vault'),
    url: address,
    mount: z.string().min(1).default('database'),
    role: z.string().min(1),
    token_env: secretName,
    namespace: z.string().min(1).optional(),
  }),
  z.strictObject({
    name: word,
    type: z.literal('secrets_manager'),
    secret_id: z.string().min(1),
    region: z.string().min(1).optional(),
  }),
  /** Capability tickets of the gateway's own; `credentials.tickets` has their key and longest life. */
  z.strictObject({ name: word, type: z.literal('ticket') }),
]);

const grant = z.strictObject({
  protocol: glob.default('*'),
  tool: glob,
  /** Name or glob of the server or service the credential is for. Required where the grant covers protocol mcp. */
  upstream: glob.optional(),
  broker: z.string().min(1),
  scope: z.string().min(1),
  ttl_seconds: seconds.max(3600).default(600),
});

export const credentials = z
  .strictObject({
    brokers: z.array(broker).default([]),
    grants: z.array(grant).default([]),
    /** Keys and life of capability tickets. */
    tickets: z
      .strictObject({
        /** Absent: `GATEWAY_TICKET_KEY`. */
        key_env: secretName.optional(),
        /** Accepted beside the present one while a key is being rotated. */
        previous_key_env: secretName.optional(),
        ttl_seconds: seconds.max(3600).default(120),
      })
      .prefault({}),
  })
  .prefault({});
