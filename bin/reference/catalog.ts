/** Reads and checks `core/catalog/*.yaml`; writes it as a module for `core` and as a documentation page. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import * as z from 'zod';
import {
  type Databases,
  databasesSchema,
  type FileKinds,
  fileKindsSchema,
  guardsSchema,
  type Networks,
  networks,
  networksSchema,
  type ProgramKinds,
  programKindsSchema,
  type RuleSet,
  ruleSetsSchema,
  type SecretFileList,
  type SecretFiles,
  secretFilesSchema,
  type ToolNames,
  toolNamesSchema,
} from '#core/contracts/catalog.ts';
import type { ToolGuard } from '#core/contracts/tool-policy.ts';
import { programModules } from './catalog-programs.ts';
import { code, codes, origin, table } from './markdown.ts';

const folder = join(dirname(fileURLToPath(import.meta.url)), '../../core/catalog');

interface Catalog {
  readonly networks: Networks;
  readonly secretFiles: SecretFiles;
  readonly guards: readonly ToolGuard[];
  readonly ruleSets: readonly RuleSet[];
  readonly toolNames: ToolNames;
  readonly databases: Databases;
  readonly programKinds: ProgramKinds;
  readonly fileKinds: FileKinds;
}

/** Reads the catalog. @throws Error naming the file and the entry that does not match the schema. */
function readCatalog(): Catalog {
  const programKinds = readFile('program-kinds.yaml', programKindsSchema);
  const fileKinds = readFile('file-kinds.yaml', fileKindsSchema);
  const fileNames = Object.entries({ ...fileKinds.files, ...fileKinds.rule_sets }).map(
    ([kind, { names = [] }]) => [kind, names.join(' ')] as const,
  );
  const lists = { ...Object.fromEntries(fileNames), ...programKinds.kinds, ...programKinds.rule_sets };
  return {
    networks: readFile('networks.yaml', networksSchema),
    secretFiles: readFile('secret-files.yaml', secretFilesSchema),
    guards: readFile('guards.yaml', guardsSchema),
    ruleSets: readFile('rule-sets.yaml', ruleSetsSchema, lists),
    toolNames: readFile('tool-names.yaml', toolNamesSchema),
    databases: readFile('databases.yaml', databasesSchema),
    programKinds,
    fileKinds,
  };
}

/**
 * @param lists lists that replace their names in globs: `{@deleting,find}`, and `{@~pipelines}` for names in any case.
 */
function readFile<T>(name: string, schema: z.ZodType<T>, lists: Readonly<Record<string, string>> = {}): T {
  const text = readFileSync(join(folder, name), 'utf8').replace(
    /(?<=[{,])@(~?)([a-z_]+)/g,
    (_, anyCase: string, list: string) => {
      const words = lists[list]?.replaceAll(' ', ',');
      if (!words) throw new Error(`core/catalog/${name}: there is no list ${list}`);
      return anyCase === '' ? words : words.replaceAll(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`);
    },
  );
  const { success, data, error } = schema.safeParse(parse(text));
  if (!success) throw new Error(`core/catalog/${name}: ${z.prettifyError(error)}`);
  return data;
}

/** Returns the generated modules by repository path. */
export const catalogModules = (): Record<string, string> => ({
  'core/catalog/databases.ts': databasesModule(),
  'core/catalog/tool-names.ts': constantsModule('tool-names.yaml', readCatalog().toolNames),
  ...programKindsModules(),
  ...fileKindsModules(),
  'core/catalog/data.ts': dataModule(),
  'core/catalog/rule-sets-data.ts': ruleSetsModule(),
  ...programModules(join(folder, 'programs')),
});

/** Returns `core/catalog/data.ts`, minified because every bundle contains it. */
function dataModule(): string {
  const { networks: facts, secretFiles, guards } = readCatalog();
  const files = Object.entries(secretFiles).map(([name, { files, except = [], reason, contents = false }]) => {
    const [names, paths] = [files.flatMap((entry) => entry.names ?? []), files.flatMap((entry) => entry.paths ?? [])];
    return `  '${name}': {
    names: ${words(names)},
    paths: ${words(paths)},
    except: ${words(except)},
    reason: ${JSON.stringify(reason)},
    contents: ${contents},
  },`;
  });
  const byNetwork = networks.map((network) => {
    const ranges = facts.ranges.flatMap((entry) => (entry.network === network ? entry.addresses : []));
    const hosts = facts.hosts.flatMap((entry) => (entry.network === network ? entry.names : []));
    return `  '${network}': {\n    ranges: ${words(ranges)},\n    hosts: ${words(hosts)},\n  },`;
  });
  return [
    '/** Generated from core/catalog/*.yaml by `npm run docs`: do not edit. */',
    "import type { Network, NetworkFacts, SecretFileGlobs, SecretFiles } from '#core/contracts/catalog.ts';",
    "import type { ToolGuard } from '#core/contracts/tool-policy.ts';",
    '',
    `export const networksData: Readonly<Record<Network, NetworkFacts>> = {\n${byNetwork.join('\n')}\n};`,
    '',
    `export const addressDomains = ${words(facts.address_domains)};`,
    '',
    `export const secretFilesData: Readonly<Record<keyof SecretFiles, SecretFileGlobs>> = {\n${files.join('\n')}\n};`,
    '',
    `export const guardsData: readonly ToolGuard[] = ${JSON.stringify(guards, undefined, 2)};`,
    '',
  ].join('\n');
}

/** Returns the module of rule sets, which only readers of packs load. */
const ruleSetsModule = (): string =>
  [
    '/** Generated from core/catalog/rule-sets.yaml by `npm run docs`: do not edit. */',
    "import type { RuleSet } from '#core/contracts/catalog.ts';",
    '',
    'export const ruleSetsData: readonly RuleSet[] = [',
    ...readCatalog().ruleSets.flatMap(({ rules, ...set }) => [
      `  { name: ${JSON.stringify(set.name)}, description: ${JSON.stringify(set.description)}, rules: [`,
      ...rules.map((rule) => `      ${JSON.stringify(rule)},`),
      '  ] },',
    ]),
    '];',
    '',
  ].join('\n');

/**
 * Returns the module of tables. It is separate from the module of functions, so that bundles that need only one can
 * omit the other.
 */
function databasesModule(): string {
  const { tables, harmless_functions: harmlessFunctions, harmless_types: harmlessTypes } = readCatalog().databases;
  return constantsModule('databases.yaml', { tables, harmlessFunctions, harmlessTypes });
}

function fileKindsModules(): Record<string, string> {
  const { files, rule_sets: _, code: places, ...lists } = readCatalog().fileKinds;
  const globs = Object.entries(files).map(([kind, { names = [], paths = [] }]) => [
    kind,
    [...(names.length > 0 ? [`{**/,}{${names.join(',')}}`] : []), ...paths],
  ]);
  return {
    'core/catalog/file-kinds.ts': constantsModule('file-kinds.yaml', Object.fromEntries(globs)),
    'core/catalog/code-places.ts': constantsModule('file-kinds.yaml', places),
    'core/catalog/file-names.ts': constantsModule('file-kinds.yaml', lists),
  };
}

/**
 * Returns the modules of program kinds. Bundles contain the constants that they use, and load the words for reading
 * shell lines at start.
 */
function programKindsModules(): Record<string, string> {
  const { kinds, rule_sets: _, shells, arguments: taken, lines, ...lists } = readCatalog().programKinds;
  return {
    'core/catalog/program-kinds.ts': constantsModule('program-kinds.yaml', { ...lists, ...kinds }),
    'core/catalog/program-words.ts': constantsModule('program-kinds.yaml', { shells, ...taken }),
    'core/catalog/program-lines.ts': constantsModule('program-kinds.yaml', lines),
  };
}

/** Returns a module of constants, which bundles of functions that do not use them omit. */
const constantsModule = (file: string, constants: object): string =>
  [
    `/** Generated from core/catalog/${file} by \`npm run docs\`: do not edit. */`,
    ...Object.entries(constants).map(
      ([name, value]) =>
        `\nexport const ${name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())} = ${JSON.stringify(value, undefined, 2)} as const;`,
    ),
    '',
  ].join('\n');

/** Joins entries with spaces, which no entry contains. */
const words = (list: readonly string[]): string =>
  list.length === 0 ? '[]' : `${JSON.stringify(list.join(' '))}.split(' ')`;

/** Returns the page `catalog.md`. */
export function catalogPage(): string {
  const { networks, secretFiles, guards, ruleSets, toolNames, databases, programKinds, fileKinds } = readCatalog();
  const { ranges, hosts, address_domains } = networks;
  return `# Catalog

${origin('`core/catalog/*.yaml`')}
Facts that the gateway decides by. Every check reads the same lists.

## Secret files

Each list is a guard that packs refer to by its name. Session risk and the tool guard use all three. Case never counts. Names count in every
folder, with their contents and with endings such as \`.bak\` and \`~\`. In paths, \`**\` crosses folders.

${Object.entries(secretFiles).map(secretFileSection).join('\n')}
## Kinds of files and folders

The purposes of other files, by their names. Session risk, rule sets and the readers of shell lines use these lists.

${table(
  ['kind', 'names in any folder', 'paths'],
  Object.entries({ ...fileKinds.files, ...fileKinds.rule_sets }).map(([kind, { names = [], paths = [] }]) => [
    kind,
    codes(names),
    codes(paths),
  ]),
)}
${wordTable({ folders: fileKinds.folders, endings: fileKinds.endings, names: fileKinds.names, code: fileKinds.code })}
## Other guards

Packs refer to these guards by name, too. Entries of one name are one guard.

${table(
  ['guard', 'protocols', 'condition', 'reason'],
  guards.map(({ name, protocols = ['*'], reason, ...conditions }) => [
    code(name),
    codes(protocols),
    codes(Object.entries(conditions).map(([field, value]) => `${field}: ${JSON.stringify(value)}`)),
    reason,
  ]),
)}
## Rule sets

Packs use these sets of rules by name. Each rule of a set has its name; \`agentctl policy test --explain\` and the console show which one matched. The rules
are in \`core/catalog/rule-sets.yaml\`.

${table(
  ['set', 'rules', 'what it does'],
  ruleSets.map(({ name, rules, description: said }) => [code(name), rules.length, said]),
)}
## Networks

The narrowest range that contains an address decides. An IPv4-mapped IPv6 address counts as its IPv4 address. Executors connect to
\`public\` addresses, and to \`private\` and \`loopback\` ones if their configuration allows private addresses. They never connect to the others.

${table(
  ['network', 'addresses', 'description'],
  ranges.map(({ network, addresses, description }) => [network, codes(addresses), description]),
)}
## Host names

Whole names count before patterns; \`*\` stands for any characters.

${table(
  ['network', 'names', 'description'],
  hosts.map(({ network, names, description }) => [network, codes(names), description]),
)}
A name under ${codes(address_domains)} counts as the address in it: \`10.0.0.1.nip.io\` is \`10.0.0.1\`.

## Names of tools

Verbs and nouns by which a tool's name tells what it does, and programs behind tools. A verb that is not listed is unknown: the tool executes.

${wordTable(toolNames)}
## Kinds of programs

The purposes of programs, if the name alone decides. The options and commands of programs are on the page of [shell programs](shell-programs.md).

${wordTable({ shells: programKinds.shells, ...programKinds.arguments, ...programKinds.kinds, ...programKinds.rule_sets, ...programKinds.lines })}
Prints secrets: ${codes(programKinds.printing_secrets)}.

Copies to buckets: ${codes(programKinds.copies_to_buckets)}.

## Databases

Session risk takes reads of \`secret\` tables for secrets and reads of \`personal\` ones for personal data. Functions and types are on the
page of [SQL queries](sql-queries.md).

${wordTable({ tables: databases.tables })}`;
}

/** Returns a table of word lists by path. */
function wordTable(lists: object): string {
  const rowsOf = (value: object, above: string): string[][] =>
    Object.entries(value).flatMap(([name, each]: [string, string | object]) => {
      const path = above === '' ? name : `${above}.${name}`;
      return typeof each === 'string' ? [[code(path), codes(each.split(' '))]] : rowsOf(each, path);
    });
  return table(['list', 'words'], rowsOf(lists, ''));
}

function secretFileSection([name, { files, except = [] }]: [string, SecretFileList]): string {
  const rows = files.map(({ description, names = [], paths = [] }) => [description, codes(names), codes(paths)]);
  const exceptions = except.length > 0 ? `\nExcept ${codes(except)}.\n` : '';
  return `### ${name}\n\n${table(['description', 'names', 'paths'], rows)}${exceptions}`;
}
