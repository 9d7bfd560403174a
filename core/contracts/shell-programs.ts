/**
 * Facts about programs in shell lines, in `core/catalog/programs/*.yaml`: exact options, and the role of each value and
 * operand.
 */
import * as z from 'zod';
import { capabilities } from './call-sizes.ts';
import type { Shape } from './shape.ts';

/** Roles of values and operands. */
const roles = [
  // A file or folder whose contents are read.
  'read',
  // A path for which only the name, size or kind is shown.
  'names',
  'write',
  'delete',
  // A file that is run.
  'execute',
  // The program's working folder.
  'folder',
  // Text that is never opened or run. Rules about paths and commands do not see it.
  'text',
  // Text that is never opened or run, but which rules see.
  'word',
  'number',
  // A selection of files by name.
  'glob',
  'url',
  // An HTTP method: all except GET, HEAD and OPTIONS send data.
  'method',
  // Text that is sent, or a file name after `@`.
  'data',
  // A header, or a file containing headers after `@`.
  'header',
  // A cookie, or a file containing cookies if there is no `=`.
  'cookie',
  // A command and its arguments, which are all remaining words.
  'command',
  // Shell text.
  'line',
  // Shell text to which the operands are appended.
  'split',
  // The text that xargs replaces with its input.
  'mark',
  // An ssh setting.
  'setting',
  // A Git setting.
  'gitSetting',
  // An archive that is read or written, depending on the mode.
  'archive',
  // An object outside this machine that a command acts on, such as a container, a release or an instance.
  'object',
  // A kind of Kubernetes object, a single object (`pod/web`), or an object name after its kind.
  'resource',
  // A file that is read or an address that is fetched.
  'source',
  // Text for a service. With `file://x` a file is read, and an address is fetched.
  'remote',
  // The source or destination of a copy: a local path or a remote place (`web:/srv`, `s3://bucket/x`).
  'from',
  'to',
  // Output format: the name of a format, or a template.
  'format',
  // Name or number of the object that a command acts on, but never an address.
  'name',
  // A repository on the configured host: `acme/web`.
  'repository',
  // A chart from a configured repository: `bitnami/nginx`.
  'chart',
  // An API path on the configured host.
  'path',
  // A file that is written in its own format, and so must not take the place of a source.
  'plan',
  // A local folder or device that a container is given access to. It is treated as written.
  'mount',
  // Programs in small languages, each read by a closed grammar.
  'sed',
  'awk',
  'jq',
  // A value that changes the program's behaviour in a way that is not analysed.
  'unread',
] as const;
export type Role = (typeof roles)[number];

/**
 * Option names as written, separated by spaces: `-n --lines`. Files may also contain lists that refer to other names.
 */
export type Names = string;
const names = z.preprocess(
  (value) => (Array.isArray(value) ? [...new Set(value.flat(10).join(' ').split(' '))].join(' ') : value),
  z.string().regex(/^(?:\S+(?: \S+)*)?$/, 'names separated by blanks'),
);
const byRole = z.partialRecord(z.enum(roles), names);
export type OperandsByRole = Shape<typeof byRole>;

/** Options of a program, a command group, or a single command. */
const options = z.strictObject({
  flags: names.optional(),
  // Options with a value, keyed by the role of the value.
  values: byRole.optional(),
  // Options with an optional value, which is attached if present.
  attached: byRole.optional(),
  // Options that run, load or change something that is not analysed.
  refused: names.optional(),
  // Options that make the program do something else with its operands.
  changes: z.partialRecord(z.enum(capabilities), names).optional(),
  // Role of the values of unlisted options. Such an option takes all words up to the next option.
  open: z.enum(roles).optional(),
});
export type Options = Shape<typeof options>;

/** One operand and its count: exactly once, `?` at most once, `*` any number, `+` at least one. */
const operand = z.templateLiteral([z.enum(roles), z.enum(['', '?', '*', '+'])]);
/** Operands in order. At most one of them repeats; those after it match the last operands. */
const operands = z.array(operand);
export type Operands = Shape<typeof operands>;

const yes = z.literal(true);
/** `true`, or a pattern that the line's words must match. */
const when = z.union([
  yes,
  z
    .string()
    .regex(/^\/.+\/i?$/s)
    .transform((text) => new RegExp(text.slice(1, text.lastIndexOf('/')), text.endsWith('i') ? 'i' : '')),
]);

/** A program that reads everything below a folder. */
const below = z.strictObject({
  // Options that cause this. If absent, the program always does it.
  when: names.optional(),
  // Options that limit the output to names and counts.
  namesOnly: names.optional(),
  // Options whose value is the file name extension of the files read.
  narrows: names.optional(),
  // Options whose value is a file type (`ts`).
  types: names.optional(),
  // `visible`: hidden files are skipped unless one of the `reveals` options is given.
  reach: z.enum(['everything', 'visible']),
  reveals: names.optional(),
  // A hidden folder is also read if it is named.
  readsNamed: yes.optional(),
  // Options that exclude files and folders by name. If both exclude hidden ones, the program skips these.
  leavesOut: z.strictObject({ files: names, folders: names }).optional(),
  // Lines that match a pattern are shown. With one of the `spoils` options, others are shown too.
  spoils: names.optional(),
  // Two folders are compared file by file, even without an option.
  pairs: yes.optional(),
});
export type Subcommands = Shape<typeof below>;

const profile = z
  .strictObject({
    // The capability that running the program counts as.
    does: z.enum(capabilities),
    // How the program's words are read. `permutes` works like getopt_long (the default), and `stops` ends the options
    // at the first operand. `anywhere` permutes regardless of the environment, `words` means whole words after one dash
    // up to the first operand, and `none` means no options. `pflag` and `flag` are the two Go syntaxes, in which
    // `--flag=true` is a flag as well: the first permutes, the second reads whole words after one or two dashes up to
    // the first operand.
    syntax: z.enum(['permutes', 'stops', 'anywhere', 'words', 'none', 'pflag', 'flag']).optional(),
    // The program's options end at the first operand, whatever the syntax.
    stops: yes.optional(),
    options: options.optional(),
    // Long options must be written in full.
    exact: yes.optional(),
    // `-5`: digits are an option.
    digits: yes.optional(),
    // `+5` in an operand's position is not an operand; or an operand without a plus changes something.
    plus: z.enum(['refused', 'required']).optional(),
    // `-` as an output file means standard output.
    dash: z.literal('output').optional(),
    // `@file` in an operand's position is a list of arguments.
    responseFiles: yes.optional(),
    // Words that may precede everything else.
    first: names.optional(),
    // The program's first word may be letters without a dash (`tar xf`).
    bundles: yes.optional(),
    // Options after which all words are passed to the named program (`python -m module …`).
    last: names.optional(),
    // Without operands, the program runs its standard input.
    input: z.literal('script').optional(),
    // Without operands, the program does nothing.
    idle: yes.optional(),
    // Variable assignments may precede the command that the program runs (`A=1`).
    assigns: yes.optional(),
    // First operands that make the program do something else (`ruff format`).
    verbs: z.partialRecord(z.enum(capabilities), names).optional(),
    // Capability if there are no operands.
    alone: z.enum(capabilities).optional(),
    // Variables that change what the program runs if an operand sets them (`SHELL=x`).
    settings: names.optional(),
    operands,
    // Operands that apply instead if one of the options is given.
    instead: z.array(z.strictObject({ with: names, operands })).optional(),
    // Without operands, the program acts on the working directory.
    here: z.enum(['names', 'write']).optional(),
    // The program is one effect, with the text of all its arguments. Values that are paths are additional effects.
    whole: yes.optional(),
    below: below.optional(),
    // The program shows names, sizes, times and counts of its files but no contents, unless one of these options is
    // given. A count of lines or words is a single number that no option can narrow to part of the text, so it reveals
    // no more than the size.
    showsNames: z.strictObject({ unless: names.optional() }).optional(),
    // A Git command shows the contents of files: always, or with the named options, but not with those of `unless`.
    contents: z.strictObject({ when: names.optional(), unless: names.optional() }).optional(),
  })
  .transform(({ options: given, ...more }) => ({ ...more, ...given }));
export type Profile = Shape<typeof profile>;

/** A family: the names that share a profile, separated by spaces, and the profile. */
const family = z.record(z.string(), profile);
export type Family = Shape<typeof family>;

const command = z
  .strictObject({
    does: z.enum(capabilities),
    // Verb for the action on its objects, in the third person, if the capability does not express it: `restarts`.
    says: z.string().optional(),
    options: options.optional(),
    // None if absent.
    operands: operands.optional(),
    // The command's options end at its first operand (`docker run image command`).
    stops: yes.optional(),
    // Kind of the command's objects, such as `container`. For Kubernetes, the default kind of names without one.
    kind: z.string().optional(),
    // Options whose values are objects that the command acts on (`--instance-ids`).
    objects: names.optional(),
    // The command prints Kubernetes objects, either with all values or without those of secrets.
    prints: z.enum(['values', 'description']).optional(),
    // The command shows names and dates of its objects, but no contents (`deploy-key list`).
    showsNames: z.strictObject({}).optional(),
    // The command prints secrets.
    secrets: when.optional(),
    // For the session risk rules, the command grants rights, or destroys more than a build can recreate.
    risk: z.partialRecord(z.enum(['rights', 'destroys']), when).optional(),
    // The command, such as a plan, runs code that the project names, but changes nothing.
    plans: yes.optional(),
  })
  .transform(({ options: given, ...more }) => ({ ...more, ...given }));
export type Command = Shape<typeof command>;

const commands = z.record(z.string(), command).transform((all) => spelledOut(all, ''));
const namesByKey = z.record(z.string(), names);

const program = z
  .strictObject({
    syntax: z.enum(['pflag', 'flag', 'anywhere']),
    options: options.optional(),
    // Options whose values locate the command's objects, keyed by the parameter in which rules see them: `namespace`.
    scopes: namesByKey.optional(),
    // Options that select every such place (`--all-namespaces`), keyed by the parameter that is then `*`.
    everywhere: namesByKey.optional(),
    // Options of a command group, keyed by its words: `docker compose -f x ps`.
    groups: z.record(z.string(), z.strictObject({ options, commands: commands.optional() })).optional(),
    // Options, of any command, whose values name the objects that the command acts on (`--instance-ids`).
    objects: names.optional(),
    // Unlisted commands, by one of their words: `create-*`, `delete`. The most severe word counts, and the words after
    // it are the operands.
    verbs: z.record(z.string(), command).optional(),
    // Commands by their words. A comma separates commands that share a profile, and `describe-*` is a prefix.
    commands,
    // Kinds of Kubernetes objects with their alternative names. The contents of other kinds are unknown.
    kinds: namesByKey.optional(),
    // Kinds that contain what their authors wrote.
    ownKinds: names.optional(),
  })
  .transform(({ options: given, groups, commands: own, ...more }) => {
    const inGroups = Object.entries(groups ?? {});
    const all: typeof own = Object.assign(
      own,
      ...inGroups.map(([group, each]) => spelledOut(each.commands ?? {}, `${group} `)),
    );
    return {
      ...more,
      ...(groups && { groups: Object.fromEntries(inGroups.map(([group, each]) => [group, each.options])) }),
      commands: all,
      ...given,
    };
  });
export type CommandProgram = Shape<typeof program>;

/** Returns the commands with all words spelled out: `compose (up, start)` as `compose up, compose start`. */
const spelledOut = <T>(all: Readonly<Record<string, T>>, group: string): Record<string, T> =>
  Object.fromEntries(
    Object.entries(all).map(([words, value]) => [
      commandsIn(words)
        .map((each) => group + each)
        .join(', '),
      value,
    ]),
  );

function commandsIn(words: string): string[] {
  const parts = words.split(/,\s+(?![^(]*\))/);
  return parts.flatMap((part) =>
    part
      .split(/\s+(?![^(]*\))/)
      .map((step) => step.replace(/^\(([^()]*)\)$/, '$1').split(/,\s+/))
      .reduce((before, steps) => before.flatMap((words_) => steps.map((step) => `${words_} ${step}`.trim())), ['']),
  );
}

/** A program family. `shared` contains parts that the programs refer to by alias. */
export const familyFileSchema = z.strictObject({
  title: z.string().min(1),
  shared: z.unknown().optional(),
  programs: family,
});

/** The `git` program, whose commands are analysed in more depth than those of other programs. */
export const gitFileSchema = z.strictObject({
  // Parts that commands refer to: names as strings, and profiles.
  shared: z.record(z.string(), z.unknown()),
  // Options that precede the command.
  globals: profile,
  // Options that show differences.
  patches: names,
  commands: family,
  // Commands for which only the written branches are determined, not the other effects.
  unread: family,
});
export type Git = Omit<Shape<typeof gitFileSchema>, 'shared'>;

/** Programs whose first words are a command. */
export const commandFileSchema = z.strictObject({
  shared: z.unknown().optional(),
  programs: z.record(z.string(), program),
});
