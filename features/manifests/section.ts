/** How calls outside the declared task are handled. */
import * as z from 'zod';

export const section = {
  manifests: z
    .strictObject({
      enforcement_mode: z.enum(['warn', 'review', 'enforce']).default('warn').meta({
        description:
          'Treatment of calls outside the declared task: warn records it, review asks a human once for each tool, resource or recipient outside, enforce blocks it.',
      }),
      first_request: z.enum(['off', 'narrow']).default('off').meta({
        description:
          'Whether the first request of a session is a task sheet: narrow limits recipients, and resources if the prompt names any, to those in the prompt of the first call that has one. It adds to the declared limits and allows nothing.',
      }),
    })
    .prefault({})
    .meta({ description: 'Task manifests: the declared tasks of sessions.' }),
};

type Section = typeof section;
declare module '#core/contracts/config/sections.ts' {
  interface FeatureSections extends Section {}
}
