/** Facts about programs of shell lines, in `core/catalog/programs/*.yaml`: exact options, and the role of each value and operand. */
import * as z from 'zod';
import { capabilities } from './call-sizes.ts';
import type { Shape } from './shape.ts';

/** Roles of values and operands. */
export const roles = [
  // A file or folder whose contents are read.
  'read',
  // A path of which only the name, size or kind is shown.
  'names',
  'write',
  'delete',
  // A file that is run.
  'execute',
  // The folder in which the program works.
  'folder',
  // Text that is never opened and never run; rules about paths and commands do not see it.
  'text',
  // Text that is never opened and never run; rules see it.
  'word',
  'number',
  // Chooses files by their names.
  'glob',
  'url',
  // An HTTP method: all except GET, HEAD and OPTIONS send data.
  'method',
  // Text that is sent; a file name after `@`.
  'data',
  // A header, or a file of headers after `@`.
  'header',
  // A cookie, or a file of cookies if there is no `=`.
  'cookie',
  // A command and its arguments: all remaining words.
  'command',
  // Shell text.
  'line',
  // Shell text to which the operands are appended.
  'split',
  // The text that xargs replaces with its input.
  'mark',
  // A setting of ssh.
  'setting',
  // A setting of git.
  'gitSetting',
  // An archive that is read or written, depending on the mode.
  'archive',
  // An object outside this machine that a command acts on: a container, a release, an instance.
  'object',
  // A kind of Kubernetes objects, one object (`pod/web`), or an object name after its kind.
  'resource',
  // A file that is read, or an address that is fetched.
  'source',
  // Text for a service; `file://x` is a file that is read, and an address is fetched.
  'remote',
  // Where something is copied from or to: a path here, or a place elsewhere (`web:/srv`, `s3://bucket/x`).
  'from',
  'to',
  // Output format: the name of a format, or a template.
  'format',
  // Name or number of the object that a command acts on, but not an address.
  'name',
  // A repository of the host that is configured: `acme/web`.
  'repository',
  // A chart of a repository that is configured: `bitnami/nginx`.
  'chart',
  // A path of an interface, of the host that is configured.
  'path',
  // A file that is written in a form of its own, and so must not take the place of a source.
  'plan',
  // A folder or device of this machine that a container is given: as good as written.
  'mount',
  // Programs of small languages, read by a closed grammar each.
  'sed',
  'awk',
  'jq',
  // Steers the program in a way that is not read.
  'unread',
] as const;
export type Role = (typeof roles)[number];

/** Names of options as they are written, separated by blanks: `-n --lines`. In files also as lists that refer to others. */
export type Names = string;
const names = z.preprocess(
  (value) => (Array.isArray(value) ? [...new Set(value.flat(10).join(' ').split(' '))].join(' ') : value),
  z.string().regex(/^(?:\S+(?: \S+)*)?$/, 'names separated by blanks'),
);
const byRole = z.partialRecord(z.enum(roles), names);
export type ByRole = Shape<typeof byRole>;

/** Options of a program, of a group of its commands, or of one command. */
const options = z.strictObject({
  flags: names.optional(),
  // Options with a value, by the role of the value.
  values: byRole.optional(),
  // Options with an optional value, which is attached if present.
  attached: byRole.optional(),
  // Options that run, load or change something that is not read.
  refused: names.optional(),
  // Options with which it does something else to its operands.
  changes: z.partialRecord(z.enum(capabilities), names).optional(),
  // Role of the values of unlisted options, which take all words up to the next option.
  open: z.enum(roles).optional(),
});
export type Options = Shape<typeof options>;

/** One operand, and how often: once, `?` at most once, `*` any number, `+` at least one. */
const operand = z.templateLiteral([z.enum(roles), z.enum(['', '?', '*', '+'])]);
/** Operands in order. At most one repeats; those after it are the last operands. */
const operands = z.array(operand);
export type Operands = Shape<typeof operands>;

const yes = z.literal(true);
/** `true`, or a pattern that the words of the line must match. */
const when = z.union([
  yes,
  z
    .string()
    .regex(/^\/.+\/i?$/s)
    .transform((text) => new RegExp(text.slice(1, text.lastIndexOf('/')), text.endsWith('i') ? 'i' : '')),
]);

/** A program that reads everything below a folder. */
const below = z.strictObject({
  // Options that cause this; absent if the program always does it.
  when: names.optional(),
  // Options with which only names and counts are shown.
  namesOnly: names.optional(),
  // Options whose value is the ending of the names of the files read.
  narrows: names.optional(),
  // Options whose value is a type of files (`ts`).
  types: names.optional(),
  // `visible`: it passes over hidden files, unless one of `reveals` is given.
  reach: z.enum(['everything', 'visible']),
  reveals: names.optional(),
  // A hidden folder that is named is read as well.
  readsNamed: yes.optional(),
  // Options that leave out files and folders by name: if both leave out hidden ones, it passes over these.
  leavesOut: z.strictObject({ files: names, folders: names }).optional(),
  // It shows the lines that match a pattern; with one of `spoils` also others.
  spoils: names.optional(),
  // Two folders are compared file by file even without an option.
  pairs: yes.optional(),
});
export type Below = Shape<typeof below>;

const profile = z
  .strictObject({
    // Capability that running it counts as.
    does: z.enum(capabilities),
    // How its words are read: `permutes` as getopt_long does (the default), `stops` at the first operand, `anywhere` permutes
    // regardless of the environment, `words` are whole words after one dash and end at the first operand, `none` has no
    // options. `pflag` and `flag` are the two of Go: `--flag=true` is a flag as well; the first permutes, the second reads
    // whole words after one or two dashes and ends at the first operand.
    syntax: z.enum(['permutes', 'stops', 'anywhere', 'words', 'none', 'pflag', 'flag']).optional(),
    // Its options end at the first operand, whatever the syntax.
    stops: yes.optional(),
    options: options.optional(),
    // Long options are written in full or not at all.
    exact: yes.optional(),
    // `-5`: digits are an option.
    digits: yes.optional(),
    // `+5` in the place of an operand is not one; or an operand without a plus changes something.
    plus: z.enum(['refused', 'required']).optional(),
    // `-` as an output file means the standard output.
    dash: z.literal('output').optional(),
    // `@file` in the place of an operand is a list of arguments.
    responseFiles: yes.optional(),
    // Words that may precede everything else.
    first: names.optional(),
    // Its first word may be letters without a dash (`tar xf`).
    bundles: yes.optional(),
    // Options after which all words belong to the named program (`python -m module …`).
    last: names.optional(),
    // Without operands it runs its standard input.
    input: z.literal('script').optional(),
    // Without operands it does nothing.
    idle: yes.optional(),
    // Variables may precede the command it runs (`A=1`).
    assigns: yes.optional(),
    // First operands with which it does something else (`ruff format`).
    verbs: z.partialRecord(z.enum(capabilities), names).optional(),
    // Capability without operands.
    alone: z.enum(capabilities).optional(),
    // Variables that, set by an operand (`SHELL=x`), change what it runs.
    settings: names.optional(),
    operands,
    // Other operands if one of the options is given.
    instead: z.array(z.strictObject({ with: names, operands })).optional(),
    // Without operands it acts on the working directory.
    here: z.enum(['names', 'write']).optional(),
    // It is one effect with the text of all its arguments; values that are paths are additional effects.
    whole: yes.optional(),
    below: below.optional(),
    // It shows names, sizes, times and counts of its files but no contents, unless one of these options is given. A count of
    // lines or words is one number that no option can steer towards a part of the text, so it reveals no more than the size.
    showsNames: z.strictObject({ unless: names.optional() }).optional(),
    // A command of git shows the contents of files: always, or with the options named; not with those of `unless`.
    contents: z.strictObject({ when: names.optional(), unless: names.optional() }).optional(),
  })
  .transform(({ options: given, ...more }) => ({ ...more, ...given }));
export type Profile = Shape<typeof profile>;

/** A family: the names that share a profile, separated by blanks, and the profile. */
const family = z.record(z.string(), profile);
export type Family = Shape<typeof family>;

const command = z
  .strictObject({
    does: z.enum(capabilities),
    // What it does to its objects, in the third person, if the capability does not express it: `restarts`.
    says: z.string().optional(),
    options: options.optional(),
    // None if absent.
    operands: operands.optional(),
    // Its options end at its first operand (`docker run image command`).
    stops: yes.optional(),
    // Kind of its objects: `container`. For Kubernetes, the kind of a name without one.
    kind: z.string().optional(),
    // Options whose values are objects it acts on (`--instance-ids`).
    objects: names.optional(),
    // It prints Kubernetes objects: with all values, or without those of secrets.
    prints: z.enum(['values', 'description']).optional(),
    // It prints secrets.
    secrets: when.optional(),
    // It gives rights, or destroys more than a build makes again, to the rules of session risk.
    risk: z.partialRecord(z.enum(['rights', 'destroys']), when).optional(),
    // It runs code that the project names, and changes nothing: a plan.
    plans: yes.optional(),
  })
  .transform(({ options: given, ...more }) => ({ ...more, ...given }));
export type Command = Shape<typeof command>;

const commands = z.record(z.string(), command).transform((all) => inFull(all, ''));
const namesByKey = z.record(z.string(), names);

const program = z
  .strictObject({
    syntax: z.enum(['pflag', 'flag', 'anywhere']),
    options: options.optional(),
    // Options whose values locate its objects, by the parameter in which rules see them: `namespace`.
    scopes: namesByKey.optional(),
    // Options that select every such place (`--all-namespaces`), by the parameter that is then `*`.
    everywhere: namesByKey.optional(),
    // Options of a group of commands, by its words: `docker compose -f x ps`.
    groups: z.record(z.string(), z.strictObject({ options, commands: commands.optional() })).optional(),
    // Options of any command whose values are objects it acts on (`--instance-ids`).
    objects: names.optional(),
    // Unlisted commands, by one of their words: `create-*`, `delete`. The most severe word counts; the words after it are its
    // operands.
    verbs: z.record(z.string(), command).optional(),
    // Commands by their words; a comma separates commands that share a profile. `describe-*` is a prefix.
    commands,
    // Kinds of Kubernetes objects with their other names; the contents of other kinds are unknown.
    kinds: namesByKey.optional(),
    // Those of them that hold what their authors put there.
    ownKinds: names.optional(),
  })
  .transform(({ options: given, groups, commands: own, ...more }) => {
    const inGroups = Object.entries(groups ?? {});
    const all: typeof own = Object.assign(
      own,
      ...inGroups.map(([group, each]) => inFull(each.commands ?? {}, `${group} `)),
    );
    return {
      ...more,
      ...(groups && { groups: Object.fromEntries(inGroups.map(([group, each]) => [group, each.options])) }),
      commands: all,
      ...given,
    };
  });
export type CommandProgram = Shape<typeof program>;

/** Returns the commands with their words in full: `compose (up, start)` as `compose up, compose start`. */
const inFull = <T>(all: Readonly<Record<string, T>>, group: string): Record<string, T> =>
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

/** A family of programs. `shared` holds parts that the programs name by alias. */
export const familyFileSchema = z.strictObject({
  title: z.string().min(1),
  shared: z.unknown().optional(),
  programs: family,
});

/** `git`, whose commands are read in more depth than those of other programs. */
export const gitFileSchema = z.strictObject({
  // Parts that commands refer to: names as texts, and profiles.
  shared: z.record(z.string(), z.unknown()),
  // Options before the command.
  globals: profile,
  // Options that show differences.
  patches: names,
  commands: family,
  // Commands of which only the written branches are read, not the other effects.
  unread: family,
});
export type Git = Omit<Shape<typeof gitFileSchema>, 'shared'>;

/** Programs whose first words are a command. */
export const commandFileSchema = z.strictObject({
  shared: z.unknown().optional(),
  programs: z.record(z.string(), program),
});
