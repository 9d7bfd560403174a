/** The Slack channel. */
import * as z from 'zod';
import { address, secretName } from '#core/contracts/config/words.ts';

export const section = {
  'approvals.channels.slack': z
    .strictObject({
      enabled: z.boolean().default(true).meta({ description: 'Whether the channel is used.' }),
      channel: z.string().min(1).meta({ description: 'Id of the Slack channel that receives the messages.' }),
      bot_token_env: secretName.meta({
        description: 'Environment variable (or secret) with the token of the Slack bot.',
      }),
      signing_secret_env: secretName.meta({
        description:
          'Environment variable (or secret) with the signing secret of the Slack app, by which votes are verified.',
      }),
      previous_signing_secret_env: secretName
        .optional()
        .meta({ description: 'The previous signing secret, also accepted while the secret is rotated.' }),
      api_url: address.default('https://slack.com/api').meta({ description: 'Address of the Slack API.' }),
      link_base: address
        .optional()
        .meta({ description: 'Base URL of links in messages, for reviewers who cannot reach the admin address.' }),
    })
    .optional()
    .meta({ description: 'Messages with buttons in a Slack channel.' }),
};

type Section = typeof section;
declare module '#core/contracts/config/sections.ts' {
  interface FeatureSections extends Section {}
}
