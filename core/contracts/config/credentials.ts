/** Credential brokers, grants and capability tickets. */
import * as z from 'zod';
import { address, glob, seconds, secretName, word } from './words.ts';

export const broker = z.discriminatedUnion('type', [
  z.strictObject({
    name: word.meta({ description: 'Name that grants and rules refer to.' }),
    type: z.literal('static').meta({ description: 'Kind of the broker.' }),
    secret_env: secretName.meta({
      description: 'Environment variable (or secret) with the credential itself, which does not expire.',
    }),
    credential_type: z
      .string()
      .min(1)
      .default('static')
      .meta({ description: 'Type of the credential in responses and evidence.' }),
  }),
  z.strictObject({
    name: word.meta({ description: 'Name that grants and rules refer to.' }),
    type: z.literal('scm_app').meta({ description: 'Kind of the broker.' }),
    app_id: z.string().min(1).meta({ description: 'Id of the Git-host app.' }),
    installation_id: z.string().min(1).optional().meta({
      description:
        'Id of the installation of the app. Without it, the signed token of the whole app is the credential.',
    }),
    private_key_env: secretName.meta({
      description: 'Environment variable (or secret) with the PEM of the RSA key that signs the tokens of the app.',
    }),
    generated_key: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether a local run without that variable generates a key. For demonstrations.' }),
    api_url: address.optional().meta({
      description: "Address of the Git host's API. Required with installation_id.",
    }),
  }),
  z.strictObject({
    name: word.meta({ description: 'Name that grants and rules refer to.' }),
    type: z.literal('sts').meta({ description: 'Kind of the broker.' }),
    role_arn: z
      .string()
      .regex(/^arn:[a-z-]+:iam::\d{12}:role\/.+$/, 'the ARN of an IAM role')
      .meta({ description: 'ARN of the IAM role that is assumed.' }),
    region: z.string().min(1).optional().meta({ description: 'AWS region. If absent, the region of the gateway.' }),
    external_id_env: secretName
      .optional()
      .meta({ description: 'Environment variable (or secret) with the external id of the role.' }),
  }),
  z.strictObject({
    name: word.meta({ description: 'Name that grants and rules refer to.' }),
    type: z.literal('vault').meta({ description: 'Kind of the broker.' }),
    url: address.meta({ description: 'Address of the vault.' }),
    mount: z.string().min(1).default('database').meta({ description: 'Path of the secrets engine.' }),
    role: z.string().min(1).meta({ description: 'Role of the secrets engine for which credentials are requested.' }),
    token_env: secretName.meta({ description: 'Environment variable (or secret) with the token of the vault.' }),
    namespace: z.string().min(1).optional().meta({ description: 'Namespace of the vault.' }),
  }),
  z.strictObject({
    name: word.meta({ description: 'Name that grants and rules refer to.' }),
    type: z.literal('secrets_manager').meta({ description: 'Kind of the broker.' }),
    secret_id: z.string().min(1).meta({ description: 'Name or ARN of the secret.' }),
    region: z.string().min(1).optional().meta({ description: 'AWS region. If absent, the region of the gateway.' }),
  }),
  /** Capability tickets issued by the gateway. `credentials.tickets` sets their key and maximum lifetime. */
  z.strictObject({
    name: word.meta({ description: 'Name that grants and rules refer to.' }),
    type: z.literal('ticket').meta({ description: 'Kind of the broker.' }),
  }),
]);

const grant = z.strictObject({
  protocol: glob.default('*').meta({ description: 'Glob of the protocol.' }),
  tool: glob.meta({ description: 'Glob of the tool.' }),
  upstream: glob.optional().meta({
    description:
      'Name or glob of the server or service the credential is for. Required if the grant covers protocol mcp.',
  }),
  broker: z.string().min(1).meta({ description: 'Name of an entry of credentials.brokers.' }),
  scope: z.string().min(1).meta({ description: 'Scope of the credential, e.g. pull_requests:write,contents:read.' }),
  ttl_seconds: seconds.max(3600).default(600).meta({ description: 'Lifetime of the credential in seconds.' }),
});

export const credentials = z
  .strictObject({
    brokers: z.array(broker).default([]).meta({ description: 'Where short-lived credentials come from.' }),
    grants: z.array(grant).default([]).meta({
      description:
        'Which broker issues the credential for which call. The first entry that matches applies; a rule may name its own.',
    }),
    tickets: z
      .strictObject({
        key_env: secretName.optional().meta({
          description:
            'Environment variable (or secret) with the HMAC key of tickets. If absent, GATEWAY_TICKET_KEY is used.',
        }),
        previous_key_env: secretName
          .optional()
          .meta({ description: 'The previous key, also accepted while the key is rotated.' }),
        ttl_seconds: seconds.max(3600).default(120).meta({ description: 'Lifetime of a ticket in seconds.' }),
      })
      .prefault({})
      .meta({ description: 'Capability tickets that the gateway signs.' }),
  })
  .prefault({});
