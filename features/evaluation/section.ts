/** The webhook that evaluates prompts and responses. */
import * as z from 'zod';
import { address, secretName } from '#core/contracts/config/words.ts';
import { type Problem, reportProblems } from '#core/contracts/problems.ts';

export const section = {
  evaluation: z
    .strictObject({
      url: address.optional().meta({ description: 'Address of the webhook. Without it nothing is sent.' }),
      secret_env: secretName
        .optional()
        .meta({ description: 'Environment variable (or secret) with the key that signs the webhook.' }),
      sample_rate: z.number().min(0).max(1).default(0).meta({ description: 'Share of calls that are sent, 0 to 1.' }),
      max_characters: z.int().positive().max(20_000).default(2000).meta({
        description: 'Characters (code points) of prompt and of response that are sent; the rest is cut off.',
      }),
    })
    .superRefine(reportProblems(checkSecret))
    .prefault({})
    .meta({ description: 'Webhook that is sent a share of prompts and responses for evaluation.' }),
};

/** Requires a signing secret, so that the receiver can verify who sent the prompts. */
function checkSecret({ url, secret_env }: { url?: string | undefined; secret_env?: string | undefined }): Problem[] {
  if (url === undefined || secret_env !== undefined) return [];
  return [{ path: ['secret_env'], found: 'nothing', allowed: 'the name of the secret that signs the requests' }];
}

type Section = typeof section;
declare module '#core/contracts/config/sections.ts' {
  interface FeatureSections extends Section {}
}
