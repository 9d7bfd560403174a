/** The configuration, its versions, the active rules and the tools of MCP servers. */
import * as z from 'zod';
import { capabilities, decisions } from '../envelope.ts';
import { guardEntrySchema, toolRuleSchema } from '../tool-policy.ts';
import { count, decision, type OperationContract, sha256Hex, time } from './operation.ts';
import { policyDiff } from './policy-diff.ts';

const version = {
  version: count,
  sha256: sha256Hex,
  schema: count.optional(),
  created_at: time,
  created_by: z.string(),
  source: z.enum(['file', 'api', 'rollback', 'federation']),
  places_sha256: sha256Hex.optional().meta({
    description: 'Object that says at which line of which file each rule stands; absent for what came without a file.',
  }),
  of_version: count.optional().meta({ description: 'For a rollback: the version whose content this is.' }),
};
const lines = z.array(z.string());
const places = z
  .strictObject({ rules: lines, guards: z.record(z.string(), z.string()), levels: z.record(z.string(), lines) })
  .meta({ description: 'Where each rule stands, as file:line; absent for what came without a file.' });
const stored = z
  .looseObject({ version: z.literal(1) })
  .meta({ description: 'See gateway.schema.json; keys by their digests.' });
const seen = { fingerprint: sha256Hex.optional(), seen_at: time };
const about = z.strictObject({
  read_only: z.boolean().optional(),
  destructive: z.boolean().optional(),
  target: z.string().optional(),
});

/** Recorded tool of an MCP server, and how the active policy classifies it. */
const seenTool = {
  upstream: z.string(),
  tool: z.string(),
  ...seen,
  state: z.enum(['new', 'changed', 'accepted']),
  changed: z
    .strictObject({
      fingerprint: sha256Hex,
      seen_at: time,
      guard: z.array(z.string()).optional(),
      shadows: z.array(z.string()).optional(),
    })
    .optional(),
  protocol: z.string(),
  policy_name: z.string(),
  capability: z.enum(capabilities),
  why: z.string(),
  target_argument: z.string().optional(),
  decision,
  matched_rule: z.string(),
  hidden: z.boolean(),
};
/** Definition as sent by the server: untrusted text. */
const definition = z.record(z.string(), z.unknown());

export const configuration = {
  getConfig: { output: z.strictObject({ version: count, sha256: sha256Hex, configuration: stored }) },
  putConfig: {
    input: z.string().meta({ description: 'YAML or JSON; see gateway.schema.json.' }),
    inputType: 'application/yaml',
    status: 201,
    output: z.strictObject({ ...version, warnings: z.array(z.string()) }),
  },
  refreshConfigKeys: { output: z.strictObject({ version: count, keys: count, warnings: z.array(z.string()) }) },
  listPolicies: {
    output: z.strictObject({
      version: count,
      policy: z.string(),
      default_decision: z.enum(decisions),
      guards: z.array(guardEntrySchema),
      rules: z.array(toolRuleSchema),
      warnings: z.array(z.string()),
    }),
  },
  policyVersions: { output: z.strictObject({ current: count, versions: z.array(z.strictObject(version)) }) },
  currentPolicyVersion: {
    output: z.strictObject({ ...version, policy: z.string(), default_decision: z.enum(decisions) }),
  },
  policyVersion: { output: z.strictObject({ ...version, configuration: stored, places: places.optional() }) },
  policyDiff: {
    output: z.strictObject({
      from: count,
      to: count,
      ...policyDiff,
      levels: z
        .array(z.strictObject({ path: z.string(), ...policyDiff }))
        .meta({ description: 'Levels of the organisations whose rules decide differently, each by itself.' }),
      lifted_guards: z
        .array(z.string())
        .meta({ description: 'Guards that were in force: what they blocked is left to the rules.' }),
      changes: z
        .array(
          z.strictObject({
            section: z.string(),
            path: z.string(),
            from: z.string().optional(),
            to: z.string().optional(),
          }),
        )
        .meta({
          description: 'Every key of the configuration that differs, by section; values in words, without secrets.',
        }),
    }),
  },
  policyRollback: { output: z.strictObject(version) },
  listMcpTools: { output: z.strictObject({ tools: z.array(z.strictObject(seenTool)) }) },
  showMcpTool: {
    output: z.strictObject({
      ...seenTool,
      accepted: definition.optional().meta({ description: 'The text under `fingerprint`, where it is kept.' }),
      offered: definition.optional().meta({ description: 'The text under `changed.fingerprint`, where it is kept.' }),
      introduces: z
        .array(z.strictObject({ kind: z.string(), where: z.string().optional(), description: z.string() }))
        .optional()
        .meta({ description: 'What the offered definition adds to the accepted one, in sentences.' }),
      difference: z
        .array(z.strictObject({ path: z.string(), before: z.string().optional(), after: z.string().optional() }))
        .optional()
        .meta({ description: 'Both texts compared member by member; at most 200 places.' }),
      shadows: z.array(z.string()).meta({ description: 'Tools of other servers that it stands in front of.' }),
      not_kept: z.array(z.string()).meta({ description: 'Which text is not there, and why.' }),
    }),
  },
  acceptMcpTool: {
    output: z.strictObject({
      upstream: z.string(),
      tool: z.string(),
      ...seen,
      about: about.optional(),
      shadows: z.array(z.string()).optional(),
      state: z.literal('accepted'),
      evidence_hash: z.string(),
    }),
  },
} satisfies Record<string, OperationContract>;
