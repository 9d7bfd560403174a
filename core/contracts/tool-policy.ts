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
  /** What people call the rule; `matched_rule` stays `<protocol>:<tool-pattern>`. */
  name: z.string().min(1).max(128).optional(),
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

const globList = z.array(z.string().min(1)).min(1);

/**
 * A block that no rule lifts: evaluated beside the first match, for every protocol unless it names some. All conditions must
 * hold. Several entries of one name are one guard.
 */
export const toolGuardSchema = z
  .strictObject({
    name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'a name such as secret-files'),
    protocols: globList.optional(),
    tool: z.string().min(1).optional(),
    target: z.string().min(1).optional(),
    capability: z.string().min(1).optional(),
    arguments: z.record(z.string().min(1), argumentPredicateSchema).optional(),
    /** The target, or a value of the parameters that is a path, holds a word that matches; case does not count. */
    paths: globList.optional(),
    /** Words that do not count although `paths` matches them. */
    except: globList.optional(),
    reason: z.string().min(1),
    suggested_alternative: z.string().optional(),
  })
  .refine(({ paths, target }) => paths === undefined || target === undefined, 'paths or target, not both')
  .refine(({ paths, except }) => except === undefined || paths !== undefined, 'except only beside paths');
export type ToolGuard = z.infer<typeof toolGuardSchema>;

/** A pack file: `policies/<pack>.yaml`. */
export const toolPackSchema = z.strictObject({
  name: z.string().min(1),
  description: z.string().optional(),
  default_decision: z.enum(decisions),
  guards: z.array(toolGuardSchema).default([]),
  rules: z.array(toolRuleSchema),
});
export type ToolPack = z.infer<typeof toolPackSchema>;

/** A policy in force: configured rules, then the pack's. */
export interface ToolPolicyDocument {
  readonly name: string;
  readonly default_decision: (typeof decisions)[number];
  /** Of the pack, without those the configuration disables. */
  readonly guards?: readonly ToolGuard[];
  readonly rules: readonly ToolRule[];
}
