/** Evaluation of calls without running them, and explanations of decisions. */

import * as z from 'zod';
import { simulateSchema } from '#core/contracts/admin-requests.ts';
import { count, decision } from '#core/contracts/answers/parts.ts';
import { effectSchema, place, placedTrace, policyDiffSchema } from '#core/contracts/answers/policies.ts';
import { operation } from '../endpoint.ts';
import { call } from './approvals.ts';

const needs = z.string().optional().meta({
  description: 'How many approvals a review needs, and from whom; absent if one approval by any reviewer is enough.',
});
const ownFacts = z
  .array(z.strictObject({ entry: z.string(), found: z.string() }))
  .optional()
  .meta({ description: 'Entries of `catalog` in the configuration that the call matches, and where.' });

const effects = z
  .array(effectSchema)
  .meta({ description: 'What the call would do; the trace of each effect that is not allowed.' });

export const simulation = {
  simulate: operation({
    route: 'POST /admin/v1/simulate',
    function: 'policies',
    role: 'operator',
    agents: 'yes',
    summary: 'Evaluate calls against a policy, recording nothing',
    input: () => simulateSchema,
    example: { calls: [{ protocol: 'shell', tool: 'shell.rm', target: 'build', capability: 'execute' }] },
    output: () =>
      z.strictObject({
        policy_version: count,
        results: z.array(
          z.strictObject({
            decision,
            matched_rule: z.string(),
            policy: z.string(),
            rule_index: z.int().optional(),
            place,
            reason: z.string().optional(),
            needs,
            suggested_alternative: z.string().optional(),
            trace: placedTrace
              .optional()
              .meta({ description: 'With `explain`: each guard and rule up to the one that matched.' }),
            effects: effects.optional(),
            more_effects: count.optional(),
            unclear: z.string().optional(),
            catalog: ownFacts,
          }),
        ),
        diff: policyDiffSchema
          .optional()
          .meta({ description: 'Decisions in which the policies that are tried out differ from those in force.' }),
        warnings: z.array(z.string()).optional().meta({ description: 'Warnings about the policies being tried out.' }),
      }),
    run: async () => (await import('#core/operations/simulate.ts')).simulate,
  }),
  why: operation({
    route: 'GET /admin/v1/actions/{envelope_id}/why',
    function: 'policies',
    role: 'operator',
    agents: 'own',
    summary: 'Which rule decided, and why each other rule did not match',
    output: () =>
      z.strictObject({
        envelope_id: z.string(),
        decision,
        matched_rule: z.string(),
        rule: z.unknown().optional(),
        policy: z.string(),
        policy_version: count,
        call: z.strictObject(call),
        decided_by: z
          .enum([
            'rule',
            'effect',
            'default',
            'guard',
            'level',
            'sandbox',
            'effects',
            'task',
            'risk',
            'approval',
            'provenance',
          ])
          .meta({
            description:
              'effect: a rule on what the call would do; effects: the text of the call itself, e.g. if its effects are uncertain.',
          }),
        reason: z.string().optional(),
        needs,
        place,
        trace: placedTrace.meta({
          description: 'The call as written: each guard and rule up to the one that matched.',
        }),
        effects,
        more_effects: count.optional(),
        unclear: z.string().optional(),
        catalog: ownFacts,
        not_replayed: z.unknown().optional(),
      }),
    run: async () => (await import('#core/operations/why.ts')).why,
  }),
};
