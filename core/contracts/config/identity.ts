/** Callers that authenticate with a token from an identity provider instead of a gateway key. */
import * as z from 'zod';
import { keyKinds, roles } from '../route.ts';
import { address, word } from './words.ts';

/** Asymmetric signatures only. With a shared secret, the verifier of a token could also issue one. */
const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
] as const;

const texts = z.array(z.string().min(1));
const claimName = z.string().min(1).max(200);

const claimValues = z.record(claimName, texts.min(1)).default({});

const oidcCaller = z.strictObject({
  when: claimValues.meta({
    description:
      'Claims that a token needs for this entry, each with one of the listed values. If absent, the entry matches every token of the issuer. A dot leads into an object: realm_access.roles.',
  }),
  tenant: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'Tenant of these callers. Without it, tenant_claim names it.' }),
  tenant_claim: claimName.optional().meta({ description: 'Claim that names the tenant.' }),
  tenants: texts.default([]).meta({ description: 'Tenants that tenant_claim may name.' }),
  role: z.enum(roles).default('viewer').meta({ description: 'The highest role of these callers.' }),
  role_claim: claimName.optional().meta({ description: 'Claim with a role of the caller; it can only lower "role".' }),
  kind: z.enum(keyKinds).default('agent').meta({
    description: 'Who calls with these tokens. Agents change nothing on the admin surface; only humans vote.',
  }),
  person: z.string().optional().meta({ description: 'Id of the human behind all of these tokens.' }),
  person_claim: claimName.optional().meta({
    description: 'Claim whose value is looked up as "<name>/<value>" in people[].oidc_ids: the human who calls.',
  }),
  owner: z.string().optional().meta({ description: 'Id of the human who answers for these agents or services.' }),
  owner_claim: claimName.optional().meta({
    description:
      'Claim whose value is looked up in people[].oidc_ids: the person who is responsible for an agent or a service.',
  }),
  name_claim: claimName.optional().meta({ description: 'Claim whose value is shown in lists and evidence.' }),
  platform: z.boolean().default(false).meta({
    description: 'Whether these callers may change global settings: configuration, providers, prices, tenants.',
  }),
});

const oidcProvider = z.strictObject({
  name: word.meta({ description: 'Name of the issuer within the configuration.' }),
  issuer: address.meta({ description: 'Exactly as in the claim "iss". HTTPS; plain HTTP only on this machine.' }),
  audiences: texts
    .min(1, 'at least one audience')
    .meta({ description: 'Values of the claim "aud" that are accepted.' }),
  algorithms: z
    .array(z.enum(algorithms))
    .min(1)
    .default(['RS256', 'ES256'])
    .meta({ description: 'Signature algorithms that are accepted. Asymmetric ones only.' }),
  token_types: z
    .array(z.enum(['at+jwt', 'JWT', 'none']))
    .min(1)
    .default(['at+jwt'])
    .meta({
      description:
        'Values of the header "typ" that are accepted; "none" means a token without it. ID tokens have "JWT" or none, so add these only if the issuer does not mark access tokens otherwise.',
    }),
  jwks_uri: address.optional().meta({ description: 'Address of the keys; if absent, it is found by discovery.' }),
  clock_skew_seconds: z
    .int()
    .nonnegative()
    .max(300)
    .default(30)
    .meta({ description: 'Seconds by which the clocks of issuer and gateway may differ.' }),
  max_lifetime_seconds: z
    .int()
    .positive()
    .max(604_800)
    .default(86_400)
    .meta({ description: 'Longest lifetime of a token in seconds; longer ones are refused.' }),
  stale_keys_seconds: z.int().min(600).max(604_800).default(3_600).meta({
    description:
      'Seconds for which known keys are used after the last successful fetch while the issuer does not answer.',
  }),
  required_claims: claimValues.meta({
    description: 'Claims that every token needs, each with one of the listed values.',
  }),
  revoked_subjects: texts.default([]).meta({ description: 'Values of "sub" whose tokens are refused.' }),
  callers: z
    .array(oidcCaller)
    .min(1, 'at least one entry')
    .meta({ description: 'The first entry that matches applies.' }),
});

const awsCaller = z.strictObject({
  arn: z
    .string()
    .regex(
      /^arn:aws[a-z-]*:iam::\d{12}:(user|role)\/[\w+=,.@/-]+$/,
      'the ARN of an IAM user or role, without wildcards',
    )
    .meta({ description: 'An IAM user or role. Sessions of a role count as the role.' }),
  tenant: z.string().min(1).meta({ description: 'Tenant of the caller.' }),
  role: z.enum(roles).default('viewer').meta({ description: 'Role of the caller.' }),
  kind: z
    .enum(keyKinds)
    .default('agent')
    .meta({ description: 'Who calls. Agents change nothing on the admin surface; only humans vote.' }),
  person: z.string().optional().meta({ description: 'Id of the human who calls.' }),
  owner: z.string().optional().meta({ description: 'Id of the person who is responsible for an agent or a service.' }),
  name: z.string().min(1).max(64).optional().meta({ description: 'Name shown in lists and evidence.' }),
  platform: z
    .boolean()
    .default(false)
    .meta({ description: 'Whether the caller may change global settings: configuration, providers, prices, tenants.' }),
});

export const identity = z
  .strictObject({
    oidc: z
      .array(oidcProvider)
      .default([])
      .meta({ description: 'Issuers whose tokens are accepted in addition to keys.' }),
    aws: z
      .strictObject({
        callers: z.array(awsCaller).default([]).meta({ description: 'IAM users and roles that may call.' }),
      })
      .prefault({})
      .meta({ description: 'Callers that sign their requests with IAM credentials. On AWS only.' }),
    mcp_resource: address.optional().meta({
      description: 'URL under which MCP clients reach /mcp. Tokens used there must have it as an audience.',
    }),
  })
  .prefault({});

export type OidcProvider = z.infer<typeof oidcProvider>;
export type OidcCaller = z.infer<typeof oidcCaller>;
