/** Responses of the archive check and the archive repair. */
import * as z from 'zod';
import { count, cursor, type OperationContract } from './operation.ts';

export const archive = {
  checkArchive: {
    output: z.strictObject({
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
          contradiction: z.string().optional(),
        }),
      ),
      cursor,
    }),
  },
  repairArchive: {
    output: z.strictObject({
      tenant: z.string(),
      archived_entries: count,
      refused: z.array(z.strictObject({ session_id: z.string(), reason: z.string() })),
      left_entries: count,
      cursor,
    }),
  },
} satisfies Record<string, OperationContract>;
