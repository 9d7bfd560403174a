/** One command of a line, with the methods that its reader uses to report effects. */

import type { BranchWrite } from '../git/branches.ts';
import { isRooted, resolveAt } from '../paths.ts';
import type { Effect } from '../ports.ts';
import { isDisplayVariable } from './environment.ts';
import { globsSources } from './source-names.ts';
import type { Arg } from './words.ts';
import { relativeWords } from './workspace.ts';

/** Known contents of standard input. */
export type Stdin =
  | { readonly kind: 'text'; readonly text: string }
  /** `from`: the program that prints the input, if it is named in one word. */
  | { readonly kind: 'unknown'; readonly from?: string }
  /** File names that each end with a zero byte, given as words with wildcards that represent all of them. */
  | { readonly kind: 'names'; readonly names: readonly Arg[] }
  /** Standard input is not connected by the line itself. */
  | { readonly kind: 'inherited' };

/**
 * Sensitive output: contents of changed files that Git tracks, or of a secret store. A rule must name it to allow the
 * call.
 */
export type ShownKind = 'changes' | 'secrets';

export type Capability = 'read' | 'write' | 'delete' | 'execute';

/** Context of a command. */
export interface Situation {
  readonly stdin: Stdin;
  readonly env: Readonly<Record<string, string>>;
}

/** The walk over the whole text, in the form that commands use. */
export interface Host {
  /**
   * Possible working directories; there are several if a `cd` may have failed. Relative ones start at the call's own
   * directory.
   */
  cwds: readonly string[];
  /** The folder that relative paths start from, if the call states it. */
  readonly workspace: string | undefined;
  add(part: Effect): void;
  unclear(why: string): void;
  /** Records an uncertainty that rules may accept. */
  shows(what: ShownKind, why: string): void;
  /** Records a command without lasting effects. */
  idle(binary: string): void;
  run(args: readonly Arg[], situation: Situation): void;
  line(text: string, situation: Situation): void;
}

/** Function that reads the effects of one kind of command. */
export type Reader = (call: Invocation) => void;

export class Invocation implements Situation {
  readonly binary: string;
  readonly args: readonly Arg[];
  readonly stdin: Stdin;
  readonly env: Readonly<Record<string, string>>;
  readonly #host: Host;
  readonly #texts = new Set<Arg>();
  #words: readonly string[] | undefined;
  #shown: ShownKind | undefined;
  #about: Readonly<Record<string, unknown>> | undefined;
  #branches: readonly BranchWrite[] | undefined;
  #namesOnly = false;

  constructor(host: Host, binary: string, args: readonly Arg[], { stdin, env }: Situation) {
    this.#host = host;
    this.binary = binary;
    this.args = relativeWords(binary, args, host);
    this.stdin = stdin;
    this.env = env;
  }

  /**
   * Marks an argument as free text (a pattern, a message) and excludes it from all effects, because rules about paths
   * and commands would match it. Must be called before the first effect.
   */
  isText(arg: Arg | undefined): void {
    if (arg) this.#texts.add(arg);
  }

  unclear(why: string): void {
    this.#host.unclear(why);
  }

  /**
   * Marks effects that show contents of unnamed files. A rule that allows them must name `shows` [effects.profiles].
   */
  shows(what: ShownKind, why: string): void {
    this.#shown = what;
    this.#host.shows(what, why);
  }

  /**
   * Records what the command is and what it acts on, for rules, approval cards and session risk. Must be called before
   * its effect.
   */
  isAbout(about: Readonly<Record<string, unknown>>): void {
    this.#about = about;
  }

  /** Records in the effects of the command which branches it writes to. */
  writesBranches(branches: readonly BranchWrite[]): void {
    this.#branches = branches;
  }

  /** Marks effects that show only names, sizes, times and counts. Must be called before the first effect. */
  showsNames(): void {
    this.#namesOnly = true;
  }

  /** Records a command without lasting effects, such as `true`. */
  idle(): void {
    this.#host.idle(this.binary);
  }

  effect(capability: Capability, target: string, cwd?: string, about?: Readonly<Record<string, unknown>>): void {
    if (cwd === undefined) {
      // A command that only reads its input has the same effect in any folder.
      if (target === '' && capability === 'read') this.effect(capability, target, '');
      else for (const each of this.#host.cwds) this.effect(capability, target, each, about);
      return;
    }
    const { display, env } = this.#variables();
    this.#words ??= [this.binary, ...this.args.filter((arg) => !this.#texts.has(arg)).map((arg) => arg.text)];
    this.#host.add({
      protocol: 'shell',
      tool: `shell.${this.binary}`,
      target,
      capability,
      ...(this.#branches && { branches: this.#branches }),
      parameters: {
        argv: this.#words,
        ...about,
        ...(this.#shown !== undefined && { shows: this.#shown }),
        ...(cwd !== '' && { cwd }),
        ...(env && { env }),
        ...(display && { display }),
      },
      // A variable such as LD_PRELOAD can change what the program does in any way.
      ...(this.#namesOnly && !env && { names_only: true }),
    });
  }

  /** Groups variables into those that change the command's effects and those that change only its display. */
  #variables(): { readonly [kind in 'display' | 'env']?: Readonly<Record<string, string>> } {
    const kinds = Object.groupBy(Object.entries(this.env), ([name, value]) =>
      isDisplayVariable(name, value) ? 'display' : 'env',
    );
    return Object.fromEntries(Object.entries(kinds).map(([kind, pairs]) => [kind, Object.fromEntries(pairs)]));
  }

  /** Adds an effect on all arguments taken together as one string. */
  whole(capability: Capability, args: readonly Arg[] = this.args): void {
    const shown = args.filter((arg) => !this.#texts.has(arg));
    if (shown.some((arg) => !arg.known)) this.isOpen(shown.find((arg) => !arg.known)!);
    this.effect(capability, shown.map((arg) => arg.text).join(' '), undefined, this.#about);
  }

  /** Adds an effect on a file. With `names`, only its name and size are shown, so wildcards reveal little. */
  path(capability: Capability, arg: Arg, names = false): void {
    if (!arg.known) this.isOpen(arg);
    else if (arg.glob && !names && !globsSources(arg.text))
      this.unclear(`which files "${short(arg.text)}" matches is only known when the line runs`);
    if (isRooted(arg.text)) this.effect(capability, resolveAt('', arg.text));
    else for (const cwd of this.#host.cwds) this.effect(capability, resolveAt(cwd, arg.text), cwd);
  }

  /** Runs another command instead. */
  run(args: readonly Arg[], stdin: Stdin = this.stdin, env: Readonly<Record<string, string>> = {}): void {
    this.#host.run(args, { stdin, env: { ...this.env, ...env } });
  }

  /** Runs shell text. */
  line(arg: Arg | string | undefined, stdin: Stdin = this.stdin): void {
    if (typeof arg === 'string') this.#host.line(arg, { stdin, env: this.env });
    else if (arg?.known) this.#host.line(arg.text, { stdin, env: this.env });
    else this.unclear(`what ${this.binary} runs is only known when the line runs`);
  }

  /** Runs standard input as a script. */
  script(): void {
    if (this.stdin.kind === 'text') this.line(this.stdin.text, { kind: 'inherited' });
    else if (this.stdin.kind === 'unknown' && this.stdin.from !== undefined)
      this.unclear(`${this.binary} runs whatever ${this.stdin.from} prints`);
    else this.unclear(`${this.binary} runs code from its standard input`);
  }

  goTo(cwds: readonly string[]): void {
    this.#host.cwds = cwds;
  }

  get cwds(): readonly string[] {
    return this.#host.cwds;
  }

  /** Runs the same command in another folder (`git -C`, `env -C`). */
  within(dir: Arg, read: () => void): void {
    const before = this.#host.cwds;
    if (!dir.known || dir.glob) this.isOpen(dir);
    this.#host.cwds = before.map((cwd) => resolveAt(cwd, dir.text));
    read();
    this.#host.cwds = before;
  }

  /** Reports an argument that is only known at run time. */
  isOpen(arg: Arg): void {
    this.unclear(`the value of "${short(arg.text)}" is only known when the line runs`);
  }
}

export const short = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);

/** Returns the reason why a word that is split at run time is unclear. */
export const splitDoubt = ({ text }: Arg): string =>
  text === '{}'
    ? "the input of xargs is only known when the line runs; use find with a source file extension (-name '*.ts'), -print0 and xargs -0, or use git grep or rg"
    : `the words that "${short(text)}" expands to are only known when the line runs`;
