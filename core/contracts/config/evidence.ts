/** Redaction and retention of evidence, and session manifests. */
import * as z from 'zod';
import type { SectionsBelow } from './sections.ts';

export const evidence = (sections: SectionsBelow<'evidence.'>) =>
  z
    .strictObject({
      sensitive: z.array(z.string().min(1)).default([]).meta({
        description: 'JSON paths such as $.parameters.password whose values are replaced by salted digests.',
      }),
      ...sections,
      retention_days: z.int().min(30).max(36_500).optional().meta({
        description:
          'Rows of evidence older than this are removed from the table once they equal their archived copies; if unset, they stay. Once set, keep it set: without it, sessions that lost rows do not verify.',
      }),
    })
    .prefault({});

export const manifests = z
  .strictObject({
    enforcement_mode: z.enum(['warn', 'review', 'enforce']).default('warn').meta({
      description:
        'What happens to a call outside the declared task: warn records it, review asks a human once for each tool, resource or recipient outside, enforce blocks it.',
    }),
    first_request: z.enum(['off', 'narrow']).default('off').meta({
      description:
        'Whether the first request of a session is a task sheet: narrow limits recipients, and resources if the prompt names any, to those in the prompt of the first call that has one. It adds to the declared limits and allows nothing.',
    }),
  })
  .prefault({});
