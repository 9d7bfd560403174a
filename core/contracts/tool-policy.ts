/** The rule language of tool policies (spec §2.10, contract §3). Everything in it is decidable. */
import * as z from 'zod';
import { decisions } from './envelope.ts';

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const globs = z.union([z.string(), z.array(z.string()).min(1)]);

/** Every member must hold. A missing path fails unless `absent: true`. */
export const argumentPredicateSchema = z
  .strictObject({
    equals: scalar.optional(),
    in: z.array(scalar).min(1).optional(),
    glob: globs.optional(),
    not_glob: globs.optional(),
    min: z.number().optional(),
    max: z.number().optional(),
    max_length: z.int().nonnegative().optional(),
    absent: z.boolean().optional(),
  })
  .refine((predicate) => Object.keys(predicate).length > 0, 'an argument predicate needs at least one member');
export type ArgumentPredicate = z.infer<typeof argumentPredicateSchema>;

export const toolRuleSchema = z.strictObject({
  protocol: z.string().default('*'),
  tool: z.string().default('*'),
  /** Name or glob of the MCP server or HTTP service that serves the call; without it, whichever does. */
  upstream: z.string().min(1).optional(),
  target: z.string().optional(),
  capability: z.string().optional(),
  /** Dotted path into `parameters` → predicate; `list[*]` means every element. */
  arguments: z.record(z.string().min(1), argumentPredicateSchema).optional(),
  decision: z.enum(decisions),
  reason: z.string().optional(),
  suggested_alternative: z.string().optional(),
  approval: z.strictObject({ timeout_seconds: z.int().positive().optional() }).optional(),
  credential: z
    .strictObject({ broker: z.string(), scope: z.string(), ttl_seconds: z.int().positive().max(3600).default(600) })
    .optional(),
});
export type ToolRule = z.infer<typeof toolRuleSchema>;

/** A pack file: `policies/<pack>.yaml`. */
export const toolPackSchema = z.strictObject({
  name: z.string().min(1),
  description: z.string().optional(),
  default_decision: z.enum(decisions),
  rules: z.array(toolRuleSchema),
});
export type ToolPack = z.infer<typeof toolPackSchema>;

/** A policy in force: configured rules, then the pack's. */
export interface ToolPolicyDocument {
  readonly name: string;
  readonly default_decision: (typeof decisions)[number];
  readonly rules: readonly ToolRule[];
}
