/** Outcome of a `decide_only` call, reported by its caller. */
import * as z from 'zod';
import { callId } from './envelope-schema.ts';

/** Reported outcome. The content stays with the caller. */
export const outcomeRequestSchema = z.strictObject({
  call_id: callId,
  outcome: z.enum(['executed', 'failed']),
  /** SHA-256 of the result's canonical JSON. */
  result_sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, '64 hex digits in lower case')
    .optional(),
  result_bytes: z.int().min(0).optional(),
  exit_code: z.int().min(-1).max(0xffffffff).optional(),
});
export type OutcomeRequest = z.infer<typeof outcomeRequestSchema>;
