/** Tool policy rule language. All of it is decidable. */
import * as z from 'zod';
import { decisions } from './envelope.ts';
import { catalogGuards } from './guard-names.ts';
import { roles } from './route.ts';
import { voterTeams } from './separation.ts';

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const globs = z.union([z.string(), z.array(z.string()).min(1)]);

/** Predicate on an argument. All members must match. A missing path fails unless `absent: true`. */
const argumentPredicateSchema = z
  .strictObject({
    equals: scalar.optional().meta({ description: 'The value must equal this one.' }),
    in: z.array(scalar).min(1).optional().meta({ description: 'The value must equal one of these.' }),
    glob: globs.optional().meta({ description: 'The value, a string, must match one of these globs.' }),
    not_glob: globs.optional().meta({ description: 'The value, a string, must match none of these globs.' }),
    min: z.number().optional().meta({ description: 'The value, a number, must be at least this.' }),
    max: z.number().optional().meta({ description: 'The value, a number, must be at most this.' }),
    max_length: z
      .int()
      .nonnegative()
      .optional()
      .meta({ description: 'The value, a string, may have at most this many characters.' }),
    absent: z.boolean().optional().meta({ description: 'true: the path must not exist. false: it must exist.' }),
    source: globs.optional().meta({
      description:
        'The whole value must come from one of these: trusted (the words of the person), system, tool:<tool>, server:<name>, unknown; globs.',
    }),
    source_not: globs.optional().meta({
      description:
        'No part of the value may come from one of these; globs as in source. Values that the person stated in full count as coming only from the person.',
    }),
    source_some: globs.optional().meta({
      description:
        'The value, or a part of it, must come from one of these: the opposite of source_not, for rules that block or review.',
    }),
  })
  .refine(
    (predicate) => Object.keys(predicate).length > 0,
    'one or more of its members, such as equals, glob or source',
  );
export type ArgumentPredicate = z.infer<typeof argumentPredicateSchema>;

export const toolRuleSchema = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .meta({ description: 'Name of the rule for people. matched_rule stays <protocol>:<tool-pattern>.' }),
  protocol: z.string().default('*').meta({ description: 'Glob of the protocol: git, shell, sql, http, mcp.' }),
  tool: z.string().default('*').meta({ description: 'Glob of the tool, e.g. scm.get_*.' }),
  upstream: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'Name or glob of the MCP server or HTTP service that serves the call. If absent, any.' }),
  target: z.string().optional().meta({
    description:
      'Glob of the target; * does not cross "/", ** does. Case-sensitive, except in rules of protocol git that block or review.',
  }),
  capability: z.string().optional().meta({ description: 'Glob of the capability: read, write, execute, delete.' }),
  arguments: z.record(z.string().min(1), argumentPredicateSchema).optional().meta({
    description:
      'Predicates by dotted path into parameters; list[*] means every element, list[?] at least one, ** some text anywhere, ** (path-named) some text under the name of a path, ** (not-text) some text under any name that does not denote text. All must match.',
  }),
  decision: z.enum(decisions).meta({ description: 'What the rule decides.' }),
  reason: z.string().optional().meta({ description: 'Text that the caller and the reviewer are shown.' }),
  suggested_alternative: z.string().optional().meta({ description: 'What a blocked caller may do instead.' }),
  approval: z
    .strictObject({
      timeout_seconds: z
        .int()
        .positive()
        .max(31_536_000)
        .optional()
        .meta({ description: 'Seconds until a pending approval expires. Overrides approvals.timeout_seconds.' }),
      require_passkey: z
        .boolean()
        .optional()
        .meta({ description: 'Whether an approval counts only with the signature of a passkey (WebAuthn).' }),
      required: z.int().min(1).max(10).optional().meta({
        description: 'Number of people who must approve, each counted once. If absent, one. Needs no organisation.',
      }),
      from_teams: voterTeams.optional().meta({
        description: 'Only approvals by members of these teams count, as <organisation>/<team>.',
      }),
      roles: z
        .array(z.enum(roles))
        .min(1)
        .optional()
        .meta({ description: 'Only approvals given with one of these roles count.' }),
      together: z.boolean().optional().meta({
        description:
          'Whether the console offers to approve or deny identical pending calls of a session, made with several keys, in one step. Each still needs its own votes and is used once. Only for rules that review.',
      }),
    })
    .optional()
    .meta({ description: 'How approvals of calls under this rule differ.' }),
  credential: z
    .strictObject({
      broker: z.string().meta({ description: 'Name of an entry of credentials.brokers.' }),
      scope: z.string().meta({ description: 'Scope of the credential, e.g. pull_requests:write,contents:read.' }),
      ttl_seconds: z
        .int()
        .positive()
        .max(3600)
        .default(600)
        .meta({ description: 'Lifetime of the credential in seconds.' }),
    })
    .optional()
    .meta({ description: 'Credential that is issued for calls under this rule.' }),
});
export type ToolRule = z.infer<typeof toolRuleSchema>;

const globList = z.array(z.string().min(1)).min(1);

/**
 * Block that no rule overrides. It is evaluated in addition to the first matching rule, and applies to all protocols
 * unless it lists some. All conditions must match. Entries with the same name form one guard.
 */
export const toolGuardSchema = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'a name such as secret-files')
      .meta({
        description:
          'Name of the guard: matched_rule is guard:<name>. Several entries with the same name form one guard.',
      }),
    protocols: globList
      .optional()
      .meta({ description: 'Globs of protocols to which the guard applies. If absent, all.' }),
    tool: z.string().min(1).optional().meta({ description: 'Glob of the tool.' }),
    target: z.string().min(1).optional().meta({ description: 'Glob of the target. Not together with paths.' }),
    capability: z.string().min(1).optional().meta({ description: 'Glob of the capability.' }),
    arguments: z
      .record(z.string().min(1), argumentPredicateSchema)
      .optional()
      .meta({ description: 'Predicates by dotted path into parameters. All must match.' }),
    paths: globList.optional().meta({
      description:
        'Globs of paths. The guard matches if a part of the target, or of a parameter value that is a path, matches one of them, regardless of case.',
    }),
    except: globList.optional().meta({ description: 'Globs of paths that do not count although paths matches them.' }),
    contents: z.literal(true).optional().meta({
      description:
        'Protects contents only: shell commands that show names, sizes, times and counts of files, such as ls, stat and wc, do not count.',
    }),
    reason: z.string().min(1).meta({ description: 'Text that the caller is shown.' }),
    suggested_alternative: z.string().optional().meta({ description: 'What a blocked caller may do instead.' }),
  })
  .refine(({ paths, target }) => paths === undefined || target === undefined, 'paths or target, not both')
  .refine(({ paths, except }) => except === undefined || paths !== undefined, 'except only together with paths');
export type ToolGuard = z.infer<typeof toolGuardSchema>;

export const guardEntrySchema = z.union([
  z.enum(catalogGuards).meta({ description: 'Guard of the catalog, by its name.' }),
  toolGuardSchema,
]);
/** Guard in a pack: the name of a catalog guard, or a definition of its own. */
export type GuardEntry = z.infer<typeof guardEntrySchema>;

/** Names of the catalog's rule sets, for use in packs. */
export const catalogRuleSets = [
  'destructive-programs',
  'forced-changes',
  'deletion',
  'repository-administration',
  'database-administration',
  'workspace-edits',
  'git-host-reads',
  'folder-reads',
  'unlisted-addresses',
  'workspace-files',
  'reading-tools',
  'local-commits',
  'new-folders',
  'written-files',
  'tests-and-builds',
  'installed-versions',
  'reading-commands',
  'test-tools',
  'infrastructure-teardown',
  'infrastructure-reads',
  'infrastructure-changes',
  'infrastructure-commands',
  'destroying-statements',
  'system-tables',
  'unparsed-selects',
  'server-settings',
  'composed-addresses',
  'foreign-addresses',
  'named-addresses',
  'foreign-amounts',
] as const;
export type CatalogRuleSet = (typeof catalogRuleSets)[number];

const ruleEntrySchema = z.union([
  z.enum(catalogRuleSets).meta({ description: 'Rule set of the catalog, by its name.' }),
  toolRuleSchema,
]);

/** Pack file, `policies/<pack>.yaml`. */
export const toolPackSchema = z.strictObject({
  name: z.string().min(1).meta({ description: 'Name of the pack.' }),
  description: z.string().optional().meta({ description: 'What the pack is for.' }),
  default_decision: z.enum(decisions).meta({ description: 'Decision for calls that no rule matches.' }),
  guards: z.array(guardEntrySchema).default([]).meta({
    description: 'Blocks that no rule lifts: names of guards of the catalog, and guards of this pack.',
  }),
  rules: z.array(ruleEntrySchema).meta({
    description: 'Rules in order, and names of rule sets of the catalog. The first rule that matches applies.',
  }),
});
export type PackFile = z.infer<typeof toolPackSchema>;

/** Pack whose rule sets have been replaced by the rules they contain. */
export type ToolPack = Omit<PackFile, 'rules'> & { readonly rules: ToolRule[] };

/** Rule of an organisation level. It can only tighten, so it issues no credential [identity.organizations]. */
export const levelRuleSchema = toolRuleSchema.omit({ credential: true });

/** Rules of one organisation level. Decisions on calls that match none of them are made by the other levels. */
export interface LevelPolicy {
  /** `<organisation>/<team>/<project>/<environment>`, or a prefix of it. */
  readonly path: string;
  readonly rules: readonly ToolRule[];
}

/** Active policy: the configured rules, followed by the rules of the pack. */
export interface ToolPolicyDocument {
  readonly name: string;
  readonly default_decision: (typeof decisions)[number];
  /** The pack's guards, except those that the configuration disables. */
  readonly guards?: readonly GuardEntry[];
  readonly rules: readonly ToolRule[];
  /** Policies of the tenant's levels. The most severe decision takes effect. */
  readonly levels?: readonly LevelPolicy[];
}
