/** Active tool rules, policy versions and the differences between them. */

import * as z from 'zod';
import { count } from '#core/contracts/answers/parts.ts';
import { keyChangeSchema, policyDiffSchema } from '#core/contracts/answers/policies.ts';
import { decisions } from '#core/contracts/envelope.ts';
import { guardEntrySchema, toolRuleSchema } from '#core/contracts/tool-policy.ts';
import { operation } from '../endpoint.ts';
import { stored, version } from './configuration.ts';

const lines = z.array(z.string());
const places = z
  .strictObject({ rules: lines, guards: z.record(z.string(), z.string()), levels: z.record(z.string(), lines) })
  .meta({ description: 'Place of each rule, as file:line; absent without a file.' });
export const policies = {
  listPolicies: operation({
    route: 'GET /admin/v1/policies',
    function: 'policies',
    role: 'viewer',
    summary: 'Tool rules in force, in order',
    output: () =>
      z.strictObject({
        version: count,
        policy: z.string(),
        default_decision: z.enum(decisions),
        guards: z.array(guardEntrySchema),
        rules: z.array(toolRuleSchema),
        warnings: z.array(z.string()),
      }),
    run: async () => (await import('#core/operations/policies.ts')).listPolicies,
  }),
  policyVersions: operation({
    route: 'GET /admin/v1/policy-versions',
    function: 'policies',
    role: 'viewer',
    summary: 'The last 20 versions',
    command: {
      words: 'policy history',
      summary: 'List the last 20 versions, newest first',
      table: {
        of: 'versions',
        none: 'No versions yet.',
        columns: {
          version: 'version',
          created: 'created_at',
          by: 'created_by',
          source: ({ source, of_version }) => (of_version === undefined ? source : `${source} of ${of_version}`),
          sha256: 'sha256',
        },
      },
    },
    output: () => z.strictObject({ current: count, versions: z.array(z.strictObject(version)) }),
    run: async () => (await import('#core/operations/policies.ts')).policyVersions,
  }),
  currentPolicyVersion: operation({
    route: 'GET /admin/v1/policy-versions/current',
    function: 'policies',
    role: 'viewer',
    summary: 'The version in force',
    command: { words: 'policy current', summary: 'Show the version in force' },
    output: () => z.strictObject({ ...version, policy: z.string(), default_decision: z.enum(decisions) }),
    run: async () => (await import('#core/operations/policies.ts')).currentPolicyVersion,
  }),
  policyVersion: operation({
    route: 'GET /admin/v1/policy-versions/{version}',
    function: 'policies',
    role: 'operator',
    summary: 'One version with its content',
    command: { words: 'policy show <version>', summary: 'Show one version with its content' },
    output: () => z.strictObject({ ...version, configuration: stored, places: places.optional() }),
    run: async () => (await import('#core/operations/policies.ts')).policyVersion,
  }),
  policyDiff: operation({
    route: 'GET /admin/v1/policy-versions/{version}/diff',
    function: 'policies',
    role: 'operator',
    query: ['against'],
    summary: 'Calls whose decision differs, lifted guards and changed keys',
    output: () =>
      z.strictObject({
        from: count,
        to: count,
        ...policyDiffSchema.shape,
        levels: z.array(z.strictObject({ path: z.string(), ...policyDiffSchema.shape })).meta({
          description: 'Levels of the organisations whose rules make different decisions, each compared separately.',
        }),
        lifted_guards: z.array(z.string()).meta({
          description: 'Guards that are no longer in force: only the rules apply to the calls that they blocked.',
        }),
        changes: z.array(keyChangeSchema).meta({
          description: 'Every key of the configuration that differs, by section; values in words, without secrets.',
        }),
      }),
    run: async () => (await import('#core/operations/policies.ts')).policyDiff,
  }),
  policyRollback: operation({
    route: 'POST /admin/v1/policy-versions/{version}/rollback',
    function: 'policies',
    role: 'admin',
    platform: true,
    summary: 'Store a new version with the content of this one',
    command: { words: 'policy rollback <version>', summary: 'Store the content of an older version as a new version' },
    output: () => z.strictObject(version),
    run: async () => (await import('#core/operations/policies.ts')).policyRollback,
  }),
};
