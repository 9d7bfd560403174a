/** Shape of the knowledge about shell programs in `core/catalog/programs`: exact options, and the role of each value and operand. */
import type { Capability } from './call-sizes.ts';

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

/** Names of options as they are written, separated by blanks: `-n --lines`. */
export type Names = string;
export type ByRole = Readonly<Partial<Record<Role, Names>>>;

/** One operand, and how often: once, `?` at most once, `*` any number, `+` at least one. */
type Operand = `${Role}${'' | '?' | '*' | '+'}`;
/** Operands in order. At most one repeats; those after it are the last operands. */
export type Operands = readonly Operand[];

/** A program that reads everything below a folder. */
export interface Below {
  /** Options that cause this; absent if the program always does it. */
  readonly when?: Names;
  /** Options with which only names and counts are shown. */
  readonly namesOnly?: Names;
  /** Options whose value is the ending of the names of the files read. */
  readonly narrows?: Names;
  /** Options whose value is a type of files (`ts`). */
  readonly types?: Names;
  /** `visible`: it passes over hidden files, unless one of `reveals` is given. */
  readonly reach: 'everything' | 'visible';
  readonly reveals?: Names;
  /** A hidden folder that is named is read as well. */
  readonly readsNamed?: true;
  /** Options that leave out files and folders by name: if both leave out hidden ones, it passes over these. */
  readonly leavesOut?: { readonly files: Names; readonly folders: Names };
  /** It shows the lines that match a pattern; with one of `spoils` also others. */
  readonly spoils?: Names;
  /** Two folders are compared file by file even without an option. */
  readonly pairs?: true;
}

export interface Profile {
  /** Capability that running it counts as. */
  readonly does: Capability;
  /**
   * How its words are read: `permutes` as getopt_long does (the default), `stops` at the first operand,
   * `anywhere` permutes regardless of the environment, `words` are whole words after one dash and end at
   * the first operand, `none` has no options. `pflag` and `flag` are the two of Go: `--flag=true` is a flag as
   * well; the first permutes, the second reads whole words after one or two dashes and ends at the first operand.
   */
  readonly syntax?: 'permutes' | 'stops' | 'anywhere' | 'words' | 'none' | 'pflag' | 'flag';
  /** Its options end at the first operand, whatever the syntax. */
  readonly stops?: true;
  /** Role of the values of unlisted options, which take all words up to the next option. */
  readonly open?: Role;
  /** Long options are written in full or not at all. */
  readonly exact?: true;
  readonly flags?: Names;
  /** Options with a value, by the role of the value. */
  readonly values?: ByRole;
  /** Options with an optional value, which is attached if present. */
  readonly attached?: ByRole;
  /** Options that run, load or change something that is not read. */
  readonly refused?: Names;
  /** Options with which it does something else to its operands. */
  readonly changes?: Readonly<Partial<Record<Capability, Names>>>;
  /** `-5`: digits are an option. */
  readonly digits?: true;
  /** `+5` in the place of an operand is not one; or an operand without a plus changes something. */
  readonly plus?: 'refused' | 'required';
  /** `-` as an output file means the standard output. */
  readonly dash?: 'output';
  /** `@file` in the place of an operand is a list of arguments. */
  readonly responseFiles?: true;
  /** Words that may precede everything else. */
  readonly first?: Names;
  /** Its first word may be letters without a dash (`tar xf`). */
  readonly bundles?: true;
  /** Options after which all words belong to the named program (`python -m module …`). */
  readonly last?: Names;
  /** Without operands it runs its standard input. */
  readonly input?: 'script';
  /** Without operands it does nothing. */
  readonly idle?: true;
  /** Variables may precede the command it runs (`A=1`). */
  readonly assigns?: true;
  /** First operands with which it does something else (`ruff format`). */
  readonly verbs?: Readonly<Partial<Record<Capability, Names>>>;
  /** Capability without operands. */
  readonly alone?: Capability;
  /** Variables that, set by an operand (`SHELL=x`), change what it runs. */
  readonly settings?: Names;
  readonly operands: Operands;
  /** Other operands if one of the options is given. */
  readonly instead?: readonly { readonly with: Names; readonly operands: Operands }[];
  /** Without operands it acts on the working directory. */
  readonly here?: 'names' | 'write';
  /** It is one effect with the text of all its arguments; values that are paths are additional effects. */
  readonly whole?: true;
  readonly below?: Below;
  /**
   * Of the files it names only names, sizes, times and counts are shown, unless one of these options is given. A count of lines or
   * words is one number that no option can steer towards a part of the text, so it reveals no more than the size.
   */
  readonly showsNames?: { readonly unless?: Names };
  /** A command of git shows the contents of files: always, or with the options named; not with those of `unless`. */
  readonly contents?: { readonly when?: Names; readonly unless?: Names };
}

/** A family: the names that share a profile, separated by blanks, and the profile. */
export type Family = Readonly<Record<string, Profile>>;

/** What is known of `git`. */
export interface Git {
  /** Options before the command. */
  readonly globals: Profile;
  /** Options that show differences. */
  readonly patches: Names;
  readonly commands: Family;
  /** Commands of which only the written branches are read, not the other effects. */
  readonly unread: Family;
}

/** Options of a program, of a group of its commands, or of one command. */
export type Options = Pick<Profile, 'flags' | 'values' | 'attached' | 'refused' | 'changes' | 'open'>;

export interface Command extends Options {
  readonly does: Capability;
  /** What it does to its objects, in the third person, if the capability does not express it: `restarts`. */
  readonly says?: string;
  /** None if absent. */
  readonly operands?: Operands;
  /** Its options end at its first operand (`docker run image command`). */
  readonly stops?: true;
  /** Kind of its objects: `container`. For Kubernetes, the kind of a name without one. */
  readonly kind?: string;
  /** Options whose values are objects it acts on (`--instance-ids`). */
  readonly objects?: Names;
  /** It prints Kubernetes objects: with all values, or without those of secrets. */
  readonly prints?: 'values' | 'description';
  /** It prints secrets: always, or if its words match. */
  readonly secrets?: true | RegExp;
  /** It gives rights, or destroys more than a build makes again, to the rules of session risk: always, or if its words match. */
  readonly risk?: Readonly<Partial<Record<'rights' | 'destroys', true | RegExp>>>;
  /** It runs code that the project names, and changes nothing: a plan. */
  readonly plans?: true;
}

export interface CommandProgram extends Options {
  readonly syntax: 'pflag' | 'flag' | 'anywhere';
  /** Options whose values locate its objects, by the parameter in which rules see them: `namespace`. */
  readonly scopes?: Readonly<Record<string, Names>>;
  /** Options that select every such place (`--all-namespaces`), by the parameter that is then `*`. */
  readonly everywhere?: Readonly<Record<string, Names>>;
  /** Options of a group of commands, by its words: `docker compose -f x ps`. */
  readonly groups?: Readonly<Record<string, Options>>;
  /** Options of any command whose values are objects it acts on (`--instance-ids`). */
  readonly objects?: Names;
  /**
   * Unlisted commands, by one of their words: `create-*`, `delete`. The most severe word counts; the words after it are its
   * operands.
   */
  readonly verbs?: Readonly<Record<Names, Command>>;
  /** Commands by their words; a comma separates commands that share a profile. `describe-*` is a prefix. */
  readonly commands: Readonly<Record<string, Command>>;
  /** Kinds of Kubernetes objects with their other names; the contents of other kinds are unknown. */
  readonly kinds?: Readonly<Record<string, Names>>;
  /** Those of them that hold what their authors put there. */
  readonly ownKinds?: Names;
}
