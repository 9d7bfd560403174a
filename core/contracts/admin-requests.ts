/** Bodies of admin requests beyond `test-action` (contract §3, §7). */
import * as z from 'zod';
import { actionRequestSchema } from './envelope.ts';

export const voteSchema = z.strictObject({
  reviewer: z
    .string()
    .min(1, 'reviewer must not be empty')
    .max(256)
    .describe('Recorded beside the authenticated person, never instead of them.'),
  comment: z.string().max(4096).optional(),
});

export const releaseSchema = z.strictObject({
  reason: z.string().min(1, 'a reason').max(4096).describe('Why the session may go on; recorded with the release.'),
});

export const simulateSchema = z.strictObject({
  calls: z
    .array(actionRequestSchema.pick({ protocol: true, tool: true, target: true, capability: true, parameters: true }))
    .min(1)
    .max(1000),
  version: z.int().positive().optional(),
});
