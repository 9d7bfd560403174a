/** Control planes, which serve the configuration, and data planes, which enforce it [federation.document]. */
import * as z from 'zod';
import { durationMs } from '../rollout.ts';
import { keyFields } from './callers.ts';
import { address, secretName, word } from './words.ts';

const digest = z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 in lower-case hex');

const longestStalenessMs = 720 * 3_600_000;
const duration = z.string().refine((text) => {
  const ms = durationMs(text);
  return ms !== undefined && ms >= 1_000 && ms <= longestStalenessMs;
}, 'a duration such as 90s, 15m or 24h, from 1s to 720h');

const planeToken = z.strictObject({
  token_env: secretName.optional().meta({ description: 'Environment variable (or secret) with a token of the plane.' }),
  token_sha256: digest.optional().meta({ description: 'SHA-256 of a token of the plane in lower-case hex.' }),
});

const localKey = z.strictObject({
  tenant: word.meta({
    description: 'Tenant of the key. A key of a tenant that the control plane does not have is skipped.',
  }),
  key_env: secretName.optional().meta({ description: 'Environment variable (or secret) with the key.' }),
  key_sha256: digest.optional().meta({ description: 'SHA-256 of the key in lower-case hex.' }),
  ...keyFields,
});

const federationRoles = ['none', 'control', 'data'] as const;

export const federation = z
  .strictObject({
    role: z.enum(federationRoles).default('none').meta({
      description:
        'control serves this configuration to data planes; data takes its configuration from a control plane; none does neither.',
    }),
    planes: z
      .array(
        z.strictObject({
          name: word.meta({ description: 'Name of the data plane.' }),
          tokens: z.array(planeToken).min(1, 'at least one token').max(4).meta({
            description: 'Accepted tokens, 1 to 4: list the new and the old one while you replace a token.',
          }),
        }),
      )
      .max(2_000)
      .default([])
      .meta({ description: 'Data planes of a control plane.' }),
    plane: word.optional().meta({ description: 'Name of this data plane, as the control plane lists it.' }),
    control_plane_url: address
      .optional()
      .meta({ description: 'Admin address of the control plane; https, or http to a loopback address.' }),
    token_env: secretName
      .optional()
      .meta({ description: 'Environment variable (or secret) with the token that this data plane sends.' }),
    trusted_keys: z.array(digest).max(8).default([]).meta({
      description:
        'SHA-256 (hex) of the public keys (SPKI, DER) whose signatures this data plane accepts, at most 8. `agentctl federation key` shows it.',
    }),
    poll_seconds: z.int().min(1).max(3_600).default(10).meta({
      description: "Seconds between a data plane's requests to its control plane, 1 to 3,600.",
    }),
    max_staleness: duration.default('24h').meta({
      description:
        'How long a configuration is valid after the control plane last confirmed it: a number with s, m or h, from 1s to 720h. If the two planes differ, the shorter time applies.',
    }),
    stale: z.enum(['serve', 'refuse']).default('refuse').meta({
      description:
        'What a data plane does after max_staleness: refuse answers 503, serve continues and keeps an alert active.',
    }),
    local_keys: z.array(localKey).default([]).meta({
      description: 'Keys of this data plane; the control plane does not supply any.',
    }),
  })
  .prefault({});

export type FederationSettings = z.infer<typeof federation>;
export type LocalKey = z.infer<typeof localKey>;
