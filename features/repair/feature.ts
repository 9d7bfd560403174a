/** Compares evidence with its projections and its archive, and repairs them. */
import * as z from 'zod';
import { count, cursor, time, unreadableRows } from '#core/contracts/answers/parts.ts';
import { operation } from '#core/operations/endpoint.ts';
import type { Feature } from '../feature.ts';

export const feature = {
  operations: {
    rebuildProjections: operation({
      route: 'POST /admin/v1/observations/rebuild',
      function: 'observatory',
      role: 'admin',
      platform: true,
      query: ['tenant', 'cursor'],
      summary: 'Rebuild projections from the evidence log, one bounded piece per call',
      rights: { tables: { observations: 'write' } },
      output: () =>
        z.strictObject({
          tenant: z.string(),
          since: time,
          entries: count,
          sessions: count,
          unreadable: unreadableRows,
          cursor,
        }),
      run: async () => (await import('#features/repair/rebuild-projections.ts')).rebuildProjections,
    }),
    checkArchive: operation({
      route: 'GET /admin/v1/archive/check',
      function: 'archive',
      role: 'admin',
      platform: true,
      query: ['tenant', 'session', 'cursor'],
      summary: 'Compare sessions with the archive, one bounded piece per call',
      output: () =>
        z.strictObject({
          tenant: z.string(),
          sessions: count,
          total_entries: count,
          missing_entries: count,
          pending_entries: count,
          complete: z.boolean(),
          incomplete_sessions: z.array(
            z.strictObject({
              session_id: z.string(),
              total_entries: count,
              missing_entries: count,
              missing: z.array(z.strictObject({ from: count, to: count })),
              pending_entries: count,
              lost_entries: count
                .optional()
                .meta({ description: 'Archived entries beyond the last row of the table.' }),
              contradiction: z.string().optional(),
            }),
          ),
          cursor,
        }),
      run: async () => (await import('#features/repair/archive.ts')).checkArchive,
    }),
    repairArchive: operation({
      route: 'POST /admin/v1/archive/repair',
      function: 'archive',
      role: 'admin',
      platform: true,
      query: ['tenant', 'session', 'from', 'to', 'put_back', 'cursor'],
      summary: 'Archive entries that the check finds missing, or put lost rows back, one bounded piece per call',
      output: () =>
        z.strictObject({
          tenant: z.string(),
          archived_entries: count,
          put_back_entries: count.optional().meta({
            description:
              'With put_back=true: entries of one tenant that only the archive held, now in the table again.',
          }),
          refused: z.array(z.strictObject({ session_id: z.string(), reason: z.string() })),
          left_entries: count,
          cursor,
        }),
      run: async () => (await import('#features/repair/archive.ts')).repairArchive,
    }),
  },
  commands: () => import('./commands.ts'),
} satisfies Feature;
