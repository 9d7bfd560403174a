/** Differences between the decisions of two policies, in responses. */
import * as z from 'zod';
import { count, decision } from './operation.ts';

const toolCall = z.strictObject({
  protocol: z.string(),
  tool: z.string(),
  target: z.string(),
  capability: z.string(),
  upstream: z.string().optional(),
  parameters: z.record(z.string(), z.unknown()).optional(),
});
const region = z.strictObject({
  from: decision,
  to: decision,
  rule_before: z.string(),
  rule_after: z.string(),
  repeated: count.optional(),
  approval: z
    .strictObject({ before: z.string(), after: z.string(), loosened: z.boolean() })
    .optional()
    .meta({ description: 'What both rules ask of an approval, where both review and that differs.' }),
  example: toolCall
    .extend({ holding: z.array(z.string()).optional().meta({ description: 'Conditions on sources that hold in it.' }) })
    .meta({ description: 'The shortest call whose decision differs.' }),
});
export const policyDiff = {
  analysed: z.boolean().meta({ description: 'False when a pair of rules was too costly to compare.' }),
  tightened: z.array(region),
  loosened: z.array(region),
  warnings: z.array(z.string()),
};
