/** Redaction and retention of evidence. */
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
