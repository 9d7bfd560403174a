/** Decisions of policies in responses: traces of rules, and differences between policies. */
import * as z from 'zod';
import { count, decision } from './parts.ts';

export const place = z
  .string()
  .optional()
  .meta({ description: 'Place of the rule, as `file:line`; absent if the version came without a file.' });
const rule = {
  index: z.int().meta({ description: 'Position among the rules; negative for a guard.' }),
  /** `<protocol>:<tool-pattern>`, or `guard:<name>`. */
  rule: z.string(),
  /** Name of the rule in the policy. */
  name: z.string().optional(),
};
const match = {
  decision,
  matched: z.boolean(),
  /** First condition that failed. `found` is the normalised value that the rule was compared with. */
  failed: z.strictObject({ field: z.string(), expected: z.string(), found: z.string() }).optional(),
};
export const ruleTraceSchema = z.strictObject({ ...rule, ...match });
/** A trace with the place of each rule [policy-version.numbered]. */
export const placedTrace = z.array(z.strictObject({ ...rule, place, ...match }));

export const effectSchema = z.strictObject({
  protocol: z.string(),
  tool: z.string(),
  target: z.string(),
  capability: z.string(),
  decision,
  matched_rule: z.string(),
  place,
  reason: z.string().optional(),
  trace: placedTrace.optional(),
});

const toolCall = z.strictObject({
  protocol: z.string(),
  tool: z.string(),
  target: z.string(),
  capability: z.string(),
  upstream: z.string().optional(),
  parameters: z.record(z.string(), z.unknown()).optional(),
});

/** Calls that match one rule before and another rule after. */
export const regionSchema = z.strictObject({
  from: decision,
  to: decision,
  /** `<protocol>:<tool-pattern>`, `guard:<name>` or `default`. */
  rule_before: z.string(),
  rule_after: z.string(),
  /** Number of disagreeing pairs of rules with these names. The example is the shortest across all of these pairs. */
  repeated: count.optional(),
  approval: z
    .strictObject({ before: z.string(), after: z.string(), loosened: z.boolean() })
    .optional()
    .meta({ description: 'Requirements of both rules for an approval, if both review and the requirements differ.' }),
  example: toolCall
    .extend({
      holding: z.array(z.string()).optional().meta({ description: 'Conditions on sources that hold for the call.' }),
    })
    .meta({ description: 'The shortest call whose decision differs.' }),
});

export const policyDiffSchema = z.strictObject({
  analysed: z.boolean().meta({ description: 'False when a pair of rules was too costly to compare.' }),
  tightened: z.array(regionSchema),
  loosened: z.array(regionSchema),
  warnings: z.array(z.string()),
});

/** A changed key. Values are shown as text, but omitted if they may contain a secret. */
export const keyChangeSchema = z.strictObject({
  section: z.string(),
  path: z.string(),
  /** Absent if only the later configuration has the key. */
  from: z.string().optional(),
  /** Absent if only the earlier configuration has the key. */
  to: z.string().optional(),
});
