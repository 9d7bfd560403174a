/** Schemas that several endpoints share. */
import * as z from 'zod';

/** ISO 8601, UTC. */
export const time = z.iso.datetime().meta({ description: 'ISO 8601, UTC.' });
export const sha256Hex = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .meta({ description: 'SHA-256 in hex.' });
export const count = z.int().nonnegative();
export const microusd = z.int().nonnegative().meta({ description: 'Millionths of a US dollar.' });
export const usd = z.number().nonnegative().meta({ description: 'US dollars.' });
export const share = z.number().min(0).max(1).meta({ description: 'A share, 0 to 1.' });
export const milliseconds = z.number().nonnegative().meta({ description: 'Milliseconds.' });
export const counts = z.record(z.string(), count);
export const tokens = z.strictObject({ input: count, output: count });
/** Members that identify what the numbers refer to. */
export const subject = {
  tenant: z.string().optional().meta({ description: "The caller's tenant; absent if path was requested." }),
  path: z.string().optional().meta({ description: 'The path of the organisations, as requested.' }),
  tenants: z
    .array(z.string())
    .optional()
    .meta({ description: 'With path: the tenants below it in which the caller may read, added up here.' }),
};
/** Evidence rows that are not entries. */
export const unreadableRows = z
  .array(
    z.strictObject({ tenant: z.string(), session_id: z.string(), index: z.number() }).meta({
      description: 'A row of evidence that cannot be read. `audit verify` shows where its chain breaks.',
    }),
  )
  .optional()
  .meta({ description: 'Rows of evidence that cannot be read and were left out.' });
/** Opaque cursor for the next page. Absent on the last page. */
export const cursor = z
  .string()
  .optional()
  .meta({ description: 'Pass it unchanged for the next page; absent on the last one.' });
export const decision = z.enum(['allow', 'review', 'block']);
/** Returns the schema of the `/health` response. */
export const health = () => z.strictObject({ status: z.literal('ok'), version: z.string() });

/** Rows that were skipped when the session was replayed. */
export const unreadableIndexes = z
  .array(count)
  .optional()
  .meta({ description: 'Indexes of rows of evidence that cannot be read. They were left out.' });

export const evidenceHash = { evidence_hash: sha256Hex };
