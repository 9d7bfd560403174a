/** Configuration of rules on sources. */
import * as z from 'zod';

export const section = {
  provenance: z
    .strictObject({
      retention_hours: z.int().min(1).max(720).default(24).meta({
        description:
          'How many hours the data that a session has seen is remembered as digests, for rules on sources (1 to 720). Older results count as a gap.',
      }),
    })
    .prefault({})
    .meta({ description: 'Settings of rules on sources (source, source_not, source_some).' }),
};

type Section = typeof section;
declare module '#core/contracts/config/sections.ts' {
  interface FeatureSections extends Section {}
}
