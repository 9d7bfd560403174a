/** Bodies of admin requests other than `test-action`. */
import * as z from 'zod';
import { actionRequestSchema } from './envelope-schema.ts';
import { assertionSchema } from './passkey.ts';

/**
 * Checks whether a string has any visible character. Whitespace, control characters and zero-width characters do not
 * count.
 */
const isVisible = (text: string): boolean => /[^\s\p{C}\p{Default_Ignorable_Code_Point}]/u.test(text);
const visibleText = 'text with at least one visible character';

export const voteSchema = z.strictObject({
  reviewer: z
    .string()
    .min(1)
    .max(256)
    .refine(isVisible, visibleText)
    .describe('Recorded in addition to the authenticated person, never in place of them.'),
  comment: z.string().max(4096).optional(),
});

export const approveSchema = voteSchema.extend({
  passkey: assertionSchema
    .optional()
    .describe('Signature of a passkey; rules with approval.require_passkey accept no approval without it.'),
});

export const releaseSchema = z.strictObject({
  reason: z
    .string()
    .min(1)
    .max(4096)
    .refine(isVisible, visibleText)
    .describe('Why the session may continue; recorded with the release.'),
});

/** The ticket that a service received, and the action it is about to take with it. */
export const redeemSchema = z.strictObject({
  ticket: z.string().min(1).max(16_384).describe('The credential of the call, `agt1.…`.'),
  tool: z
    .string()
    .min(1)
    .max(256)
    .describe('The tool that the service believes the call is for, as the envelope names it.'),
  resource: z
    .string()
    .min(1)
    .max(4096)
    .describe('The target that the service is about to act on, as the envelope names it.'),
  capability: z.string().min(1).max(64),
  envelope_id: z.string().min(1).max(128).optional(),
});

export const simulateSchema = z.strictObject({
  calls: z
    .array(
      actionRequestSchema.pick({
        protocol: true,
        tool: true,
        target: true,
        capability: true,
        upstream: true,
        parameters: true,
      }),
    )
    .min(1)
    .max(1000),
  version: z.int().positive().optional(),
  tool_policies: z.record(z.string(), z.unknown()).optional().meta({
    description: 'Policies to try instead, in the form of `tool_policies` in the configuration; nothing is stored.',
  }),
  explain: z
    .boolean()
    .optional()
    .meta({ description: 'Whether each result includes how guards and rules saw the call and what it would do.' }),
});
