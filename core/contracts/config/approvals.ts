/** How approvals are asked for, and how long they stand (contract §3). */
import * as z from 'zod';
import { parsePullRequest } from '../repository.ts';
import { address, glob, seconds, secretName } from './words.ts';

const channels = z.strictObject({
  slack: z
    .strictObject({
      enabled: z.boolean().default(true),
      channel: z.string().min(1),
      bot_token_env: secretName,
      signing_secret_env: secretName,
      /** Accepted beside the present one while a secret is being rotated. */
      previous_signing_secret_env: secretName.optional(),
      api_url: address.default('https://slack.com/api'),
      /** Base of links in messages, when the admin address is not reachable for reviewers. */
      link_base: address.optional(),
    })
    .optional(),
  github: z
    .strictObject({
      enabled: z.boolean().default(true),
      token_env: secretName,
      webhook_secret_env: secretName,
      /** Accepted beside the present one while a secret is being rotated. */
      previous_webhook_secret_env: secretName.optional(),
      /** Globs of `owner/name`: what is about a pull request of theirs is asked for on it. Agents choose targets. */
      repositories: z.array(glob).default([]),
      /** The pull request on which all else is asked for. */
      pull_request: z
        .string()
        .refine((text) => parsePullRequest(text) !== undefined, 'a pull request "<owner>/<name>#<number>"')
        .optional(),
      api_url: address.default('https://api.github.com'),
      /** Base of links in comments, when the admin address is not reachable for reviewers. */
      link_base: address.optional(),
    })
    .optional(),
  webhook: z.strictObject({ enabled: z.boolean().default(true), url: address, secret_env: secretName }).optional(),
});

export const approvals = z
  .strictObject({
    timeout_seconds: seconds.default(1800),
    on_approval: z.enum(['release', 'execute']).default('release'),
    hold_seconds: z.int().min(0).max(50).default(0),
    max_pending_per_key: z.int().positive().max(10_000).default(100).meta({
      description: 'Requests of one key that may wait for a person; a further one is 429 and nobody is asked.',
    }),
    max_pending_per_tenant: z.int().positive().max(10_000).default(1_000).meta({
      description: 'The same for all keys of a tenant together.',
    }),
    channels: channels.prefault({}),
  })
  .prefault({});

export type ApprovalChannels = z.infer<typeof channels>;
export type GithubChannel = NonNullable<ApprovalChannels['github']>;
