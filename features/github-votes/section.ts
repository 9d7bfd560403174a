/** The channel that writes comments on pull requests. */
import * as z from 'zod';
import { globProblems } from '#core/configuration/checks/glob-checks.ts';
import { address, glob, secretName } from '#core/contracts/config/words.ts';
import { type Problem, reportProblems } from '#core/contracts/problems.ts';
import { parsePullRequest } from '#core/contracts/repository.ts';

const channel = z.strictObject({
  enabled: z.boolean().default(true).meta({ description: 'Whether the channel is used.' }),
  token_env: secretName.meta({
    description: 'Environment variable (or secret) with the token that writes comments.',
  }),
  webhook_secret_env: secretName.meta({
    description: 'Environment variable (or secret) with the webhook secret, by which votes are verified.',
  }),
  previous_webhook_secret_env: secretName
    .optional()
    .meta({ description: 'The previous webhook secret, also accepted while the secret is rotated.' }),
  repositories: z.array(glob).default([]).meta({
    description:
      'Globs of owner/name. An action on a pull request of these repositories is announced on that pull request.',
  }),
  pull_request: z
    .string()
    .refine((text) => parsePullRequest(text) !== undefined, 'a pull request "<owner>/<name>#<number>"')
    .optional()
    .meta({ description: 'The pull request, <owner>/<name>#<number>, on which all other actions are announced.' }),
  api_url: address.default('https://api.github.com').meta({ description: 'Address of the GitHub API.' }),
  link_base: address
    .optional()
    .meta({ description: 'Base URL of links in comments, for reviewers who cannot reach the admin address.' }),
});

export type GithubChannel = z.infer<typeof channel>;

export const section = {
  'approvals.channels.github': channel
    .superRefine(reportProblems(checkChannel))
    .optional()
    .meta({ description: 'Comments on pull requests.' }),
};

function checkChannel({
  enabled,
  repositories,
  pull_request,
  token_env,
  webhook_secret_env,
  previous_webhook_secret_env,
}: GithubChannel): Problem[] {
  if (!enabled) return [];
  const verifying = [webhook_secret_env, previous_webhook_secret_env];
  return [
    ...globProblems(repositories, (at) => ['repositories', at]),
    ...(repositories.length === 0 && pull_request === undefined
      ? [
          {
            path: [],
            found: 'neither repositories nor pull_request',
            allowed: 'at least one of them, as the place where approvals are requested',
          },
        ]
      : []),
    ...(verifying.includes(token_env)
      ? [{ path: ['token_env'], found: token_env, allowed: 'a name other than that of a webhook secret' }]
      : []),
  ];
}

type Section = typeof section;
declare module '#core/contracts/config/sections.ts' {
  interface FeatureSections extends Section {}
}
