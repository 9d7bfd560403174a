/** Schemas of the catalog, which is the data in `core/catalog/*.yaml`. */
import * as z from 'zod';
import { catalogGuards } from './guard-names.ts';
import { catalogRuleSets, toolGuardSchema, toolRuleSchema } from './tool-policy.ts';

export const networks = ['public', 'private', 'loopback', 'link-local', 'metadata', 'reserved'] as const;
export type Network = (typeof networks)[number];

const network = z.enum(networks).meta({ description: 'Network that the addresses or names belong to.' });
const description = z.string().min(1).meta({ description: 'What the entry describes, for the reference page.' });

const globs = z.array(z.string().regex(/^\S+$/, 'globs without blanks')).min(1);

const secretFileList = z.strictObject({
  reason: z.string().min(1).meta({ description: 'Text shown to a blocked caller.' }),
  files: z
    .array(
      z.strictObject({
        description,
        names: globs.optional().meta({
          description:
            'Globs of file and folder names. They match in every folder, include the contents of matching folders, and match with endings such as .bak and ~.',
        }),
        paths: globs.optional().meta({ description: 'Globs of whole paths.' }),
      }),
    )
    .min(1),
  except: globs.optional().meta({ description: 'Globs of paths that do not count.' }),
  contents: z.literal(true).optional().meta({
    description: 'Whether the guard protects contents only: shell commands that show names and sizes of files pass.',
  }),
});
export type SecretFileList = z.infer<typeof secretFileList>;

/** File lists. Each list is also a guard of the same name. */
export const secretFilesSchema = z.strictObject({
  'secret-files': secretFileList,
  'key-files': secretFileList,
  'system-files': secretFileList,
});
export type SecretFiles = z.infer<typeof secretFilesSchema>;

/** File list without groups and descriptions, for use in code. */
export interface SecretFileGlobs {
  readonly names: readonly string[];
  readonly paths: readonly string[];
  readonly except: readonly string[];
  readonly reason: string;
  readonly contents: boolean;
}

/** Guards other than file lists. Entries with the same name form one guard. */
export const guardsSchema = z.array(
  toolGuardSchema.refine(
    ({ name }) => catalogGuards.some((each) => each === name),
    `one of ${catalogGuards.join(', ')}`,
  ),
);

/** Rule sets, each with its rules in order. */
export const ruleSetsSchema = z.array(
  z.strictObject({
    name: z
      .enum(catalogRuleSets)
      .meta({ description: 'Name by which packs use the set; its rules have the same name.' }),
    description,
    rules: z.array(toolRuleSchema.omit({ name: true })).min(1),
  }),
);
export type RuleSet = z.infer<typeof ruleSetsSchema>[number];

export const networksSchema = z.strictObject({
  ranges: z.array(
    z.strictObject({
      network,
      addresses: z
        .array(z.string().regex(/^[0-9a-f.:]+\/\d{1,3}$/, 'a range such as 10.0.0.0/8 or fc00::/7'))
        .min(1)
        .meta({ description: 'Ranges in CIDR notation.' }),
      description,
    }),
  ),
  hosts: z.array(
    z.strictObject({
      network,
      names: z
        .array(z.string().regex(/^[a-z0-9.*-]+$/, 'a host name in lower case, with * for any characters'))
        .min(1)
        .meta({ description: 'Host names; * stands for any characters.' }),
      description,
    }),
  ),
  address_domains: z
    .array(z.string().min(1))
    .meta({ description: 'Domains whose DNS resolves each name to the address that the name contains.' }),
});
export type Networks = z.infer<typeof networksSchema>;

/** Address ranges and host names of a network. */
export interface NetworkFacts {
  readonly ranges: readonly string[];
  readonly hosts: readonly string[];
}

/** Lowercase words separated by spaces. */
const words = z.string().regex(/^\S+(?: \S+)*$/, 'words separated by single blanks');
const byChange = z.strictObject({ write: words, execute: words, delete: words });
const byVerb = z.record(z.string(), words);

export const toolNamesSchema = z.strictObject({
  verbs: z.strictObject({
    reading: words,
    reading_nouns: words,
    explaining_nouns: words,
    measures: words,
    authoring: words,
    reading_with: z.record(
      z.string(),
      z.strictObject({ otherwise: z.enum(['write', 'execute', 'delete']), objects: words }),
    ),
    acting_on: byVerb,
    offering: words,
    prepositions: words,
    listed: words,
    particles: words,
    joining: words,
    transparent: words,
    changing: byChange,
    producing: words,
    nouns_and_verbs: byChange,
    verb_objects: byVerb,
    leading_nouns: words,
    services: words,
    compounds: words,
    sending: words,
  }),
  sharing: z.strictObject({ words, objects: words }),
  programs: z.strictObject({
    names: z.record(z.string(), words),
    listing: z.record(z.string(), words),
    others: words,
    commands: words,
    showing_options: words,
    option_readers: words,
    negating: words,
    orders: words,
  }),
  carriers: z.strictObject({
    lines: words,
    running: words,
    elsewhere: words,
    other_languages: words,
    other_parameters: words,
    query_parameters: words,
  }),
});
export type ToolNames = z.infer<typeof toolNamesSchema>;

const fileKind = z.strictObject({
  names: globs.optional().meta({ description: 'Globs of file names, which count in every folder.' }),
  paths: globs.optional().meta({ description: 'Globs of whole paths.' }),
});

export const fileKindsSchema = z.strictObject({
  files: z.record(z.string(), fileKind),
  rule_sets: z.record(z.string(), fileKind),
  folders: z.strictObject({ system: words, shared: words }),
  endings: z.strictObject({ sources: words, shared: words, data: words }),
  names: z.strictObject({ workspace_data: words }),
  code: z.strictObject({ folders: words, ripgrep_types: words }),
});
export type FileKinds = z.infer<typeof fileKindsSchema>;

export const programKindsSchema = z.strictObject({
  shells: z.strictObject({ read: words, others: words }),
  arguments: z.record(z.string(), words),
  kinds: z.record(z.string(), words),
  rule_sets: z.record(z.string(), words),
  printing_secrets: z.array(words).meta({ description: 'Commands of programs without a profile.' }),
  copies_to_buckets: z.array(words).meta({ description: 'Commands of programs, by their words.' }),
  lines: z.record(z.string(), words),
});
export type ProgramKinds = z.infer<typeof programKindsSchema>;

export const databasesSchema = z.strictObject({
  tables: z.strictObject({ secret: words, personal: words, personal_words: words }),
  harmless_functions: z.record(z.string(), words),
  harmless_types: words,
});
export type Databases = z.infer<typeof databasesSchema>;
