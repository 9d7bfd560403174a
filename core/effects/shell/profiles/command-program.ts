/** Profiles of programs whose first words are a command: `kubectl rollout status`, `aws ec2 describe-instances`. */
import type { Capability } from '../invocation.ts';
import type { Names, Operands, Profile } from './profile.ts';

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

/** Returns each of the groups, separated by commas, followed by each of the verbs: `vm list, vm show`. */
export const commandsOf = (groups: string, verbs: string): string =>
  groups
    .trim()
    .split(/,\s+/)
    .flatMap((group) =>
      verbs
        .trim()
        .split(/\s+/)
        .map((verb) => `${group} ${verb}`),
    )
    .join(', ');
