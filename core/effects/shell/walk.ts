/** Traversal of a line's tree that collects its effects, with one call per effect. */

import type { OwnPrograms } from '#core/contracts/config/catalog.ts';
import { asText } from '#core/kernel/as-text.ts';
import { foldCase, isAscii } from '#core/text/matching/fold-unicode.ts';
import { baseName, isSystemPath, resolveAt } from '../paths.ts';
import type { Effect, WalkSettings } from '../ports.ts';
import { readerOf } from './commands.ts';
import { isDisplayVariable, isHarmlessVariable, namesSecret, variableDoubt } from './environment.ts';
import { type Host, Invocation, type ShownKind, type Situation, type Stdin, short, splitDoubt } from './invocation.ts';
import { roundsOf } from './loops.ts';
import { printedBy } from './output.ts';
import { parseShell } from './parser.ts';
import {
  type AndOr,
  type Budget,
  type Command,
  limits,
  type Pipeline,
  type Redirect,
  type Script,
  spend,
  UnreadableSyntax,
  type Word,
} from './syntax.ts';
import { type Arg, expandWord, hasBraces, joinedWord, unbracedWord } from './words.ts';

type SimpleCommand = Extract<Command, { kind: 'simple' }>;

const inherited: Stdin = { kind: 'inherited' };
const unknown: Stdin = { kind: 'unknown' };
const maxPlaces = 4;

export class Walk implements Host {
  readonly parts: Effect[] = [];
  /** The first reason why the line is uncertain. */
  reason: string | undefined;
  /** The first uncertainty that rules may accept. */
  shown: { readonly what: ShownKind; readonly why: string } | undefined;
  /** A command without effects, used if the line has no other commands. */
  idling: string | undefined;
  cwds: readonly string[];
  readonly workspace: string | undefined;
  readonly #programs: OwnPrograms | undefined;
  readonly #budget: Budget;
  readonly #seen = new Set<string>();
  readonly #vectors = new Map<string, number>();
  readonly #vectorOf = new Map<object, number>();
  #partWords = 0;
  #characters = 0;
  #lines = 0;
  #runs = 0;
  /** Number of enclosing background lists. */
  #background = 0;

  constructor(cwd: string, { workspace, programs }: WalkSettings = {}, budget: Budget = { nodes: 0 }) {
    this.cwds = [cwd];
    this.#budget = budget;
    this.workspace = workspace;
    this.#programs = programs;
  }

  /** Reads shell text from a call. */
  readLine(text: string, situation: Situation): void {
    this.#guard(() => this.line(text, situation));
  }

  /** Reads an argument vector, which bypasses the shell. */
  readVector(args: readonly Arg[], situation: Situation): void {
    this.#guard(() => this.run(args, situation));
  }

  add(part: Effect): void {
    if (this.#background > 0 && part.capability !== 'read')
      this.unclear(`${part.tool.slice('shell.'.length)} may keep running in the background after the line has ended`);
    const { cwd } = part.parameters;
    const argv = part.parameters.argv as readonly string[];
    const key = `${this.#vector(argv)} ${part.tool}\n${part.capability}\n${part.target}\n${asText(cwd ?? '')}\n${JSON.stringify(part.branches)}\n${part.names_only}`;
    if (this.#seen.has(key)) return;
    if (this.parts.length >= limits.parts) throw new UnreadableSyntax(`the line has more than ${limits.parts} effects`);
    this.#partWords += argv.length;
    if (this.#partWords > limits.partWords)
      throw new UnreadableSyntax('the commands of the line have too many words to report');
    this.#characters += part.target.length;
    if (this.#characters > 4 * limits.characters)
      throw new UnreadableSyntax('the effects of the line are too long to report');
    this.#seen.add(key);
    this.parts.push(part);
  }

  /** Returns an id for the words of a command, so that they are joined only once for all its effects. */
  #vector(argv: readonly string[]): number {
    const known = this.#vectorOf.get(argv);
    if (known !== undefined) return known;
    const text = argv.join('\n');
    const id = this.#vectors.get(text) ?? this.#vectors.size;
    this.#vectors.set(text, id);
    this.#vectorOf.set(argv, id);
    return id;
  }

  unclear(why: string): void {
    this.reason ??= why;
  }

  shows(what: ShownKind, why: string): void {
    this.shown ??= { what, why };
  }

  idle(binary: string): void {
    this.idling ??= binary;
  }

  line(text: string, situation: Situation): void {
    if (this.#lines >= limits.lines)
      throw new UnreadableSyntax(`command lines are nested more than ${limits.lines} levels deep`);
    this.#lines++;
    // Data that bash would run when it evaluates arithmetic.
    if (/\[(?:\$\(|`)/.test(text)) this.unclear('a subscript in the line may be run');
    const script = parseShell(text, this.#budget);
    if (this.#budget.doubt !== undefined) this.unclear(this.#budget.doubt);
    this.#script(script, situation);
    this.#lines--;
  }

  run(args: readonly Arg[], situation: Situation): void {
    const [first, ...rest] = args;
    if (!first) return;
    spend(this.#budget);
    if (args.length > limits.words) throw new UnreadableSyntax(`a command has more than ${limits.words} words`);
    const { text } = first;
    if (!first.known || first.glob || text === '' || /\s/.test(text) || text.startsWith('!') || text.startsWith('~')) {
      this.unclear(`which command "${short(text)}" runs is only known when the line runs`);
      return;
    }
    for (const [name, value] of Object.entries(situation.env)) this.#setsVariable(name, value);
    if (!isAscii(text)) this.unclear('the name of a command contains letters that are not plain');
    const folded = foldCase(text);
    if (folded !== text && isAscii(text)) this.unclear('the name of a command is in capitals');
    const binary = isSystemPath(folded) ? baseName(folded) : folded;
    const found = readerOf(binary, this.#programs);
    if (!found.loose) for (const arg of rest) if (arg.splits) this.unclear(splitDoubt(arg));
    if (++this.#runs > limits.depth)
      throw new UnreadableSyntax(`commands run commands more than ${limits.depth} times over`);
    found.read(new Invocation(this, isAscii(text) ? binary : text, rest, situation));
    this.#runs--;
  }

  #guard(read: () => void): void {
    try {
      read();
    } catch (thrown) {
      if (!(thrown instanceof UnreadableSyntax)) throw thrown;
      this.unclear(thrown.message);
    }
    this.#lines = 0;
    this.#runs = 0;
    this.#background = 0;
  }

  #script(script: Script, situation: Situation): void {
    for (const list of script) this.#list(list, situation);
  }

  /** Reads a list. A command may fail, so at the end of the list a `cd` may or may not have happened. */
  #list({ first, rest, background }: AndOr, situation: Situation): void {
    const start = this.cwds;
    if (background) this.#background++;
    this.#pipeline(first, situation);
    let places: readonly string[] = union(start, this.cwds);
    for (const { operator, pipeline } of rest) {
      if (operator === '||') this.cwds = places;
      this.#pipeline(pipeline, situation);
      places = union(places, this.cwds);
    }
    if (background) this.#background--;
    this.#stand(background ? start : places);
  }

  #stand(places: readonly string[]): void {
    this.cwds = places.length > maxPlaces ? places.slice(-maxPlaces) : places;
    if (places.length > maxPlaces) this.unclear('the working directory changes too often to follow');
  }

  #pipeline(pipeline: Pipeline, situation: Situation): void {
    if (pipeline.length === 1) {
      this.#command(pipeline[0]!, situation);
      return;
    }
    let { stdin } = situation;
    for (const command of pipeline) {
      this.#apart(() => this.#command(command, { ...situation, stdin }));
      stdin = printedBy(command);
    }
  }

  /** Reads a command that runs in a separate process and so does not change the working directory. */
  #apart(read: () => void): void {
    const before = this.cwds;
    read();
    this.cwds = before;
  }

  #command(command: Command, situation: Situation): void {
    if (command.kind === 'simple') this.#simple(command, situation);
    else if (command.kind === 'function') this.#define(command, situation);
    else this.#compound(command, situation);
  }

  /**
   * Reads the body of a function at its definition. A call to it counts as an unknown command, because the function may
   * not exist when the call runs.
   */
  #define({ name, body }: Extract<Command, { kind: 'function' }>, situation: Situation): void {
    if (readerOf(name, this.#programs).isKnown) this.unclear(`a function takes the name of ${name}`);
    this.#apart(() => this.#command(body, { ...situation, stdin: unknown }));
  }

  #compound(command: Extract<Command, { kind: 'compound' }>, situation: Situation): void {
    for (const word of command.words) this.#expansions(word, situation);
    if (command.sets !== undefined) this.#setsVariable(command.sets);
    const stdin = this.#redirects(command.redirects, situation) ?? situation.stdin;
    const inside = { ...situation, stdin };
    const before = this.cwds;
    for (const bodies of roundsOf(command) ?? [command.bodies]) this.#bodies({ ...command, bodies }, inside);
    // The next iteration of a loop begins in the final directory of this one.
    if (command.scope === 'loop' && this.cwds !== before) {
      const once = this.cwds;
      this.#bodies(command, inside);
      if (this.cwds.length > once.length) this.unclear('a loop changes its working directory');
    }
  }

  #bodies({ bodies, scope }: Extract<Command, { kind: 'compound' }>, situation: Situation): void {
    for (const body of bodies) {
      const before = this.cwds;
      this.#script(body, situation);
      if (scope === 'subshell') this.cwds = before;
      else if (scope !== 'group') this.#stand(union(before, this.cwds));
    }
  }

  #simple({ assignments, words, redirects }: SimpleCommand, situation: Situation): void {
    const env: Record<string, string> = {};
    const args = this.#arguments(words);
    for (const { name, values } of assignments) {
      for (const value of values) this.#expansions(value, situation);
      // The assignment applies only to this command.
      if (name === 'IFS' && args[0]?.text === 'read') continue;
      env[name] = values.map((value) => joinedWord(value).text).join(' ');
      this.#setsVariable(name, env[name]);
    }
    for (const word of words) this.#expansions(word, situation);
    const stdin = this.#redirects(redirects, situation) ?? situation.stdin;
    if (args.length === 0) return;
    const inside = { stdin, env: { ...situation.env, ...env } };
    this.run(args, inside);
    if (words.some(hasBraces)) this.#unbraced(words.flatMap(unbracedWord), inside);
  }

  #arguments(words: readonly Word[]): Arg[] {
    const args: Arg[] = [];
    for (const word of words) {
      args.push(...expandWord(word));
      if (args.length > limits.words) throw new UnreadableSyntax(`a command has more than ${limits.words} words`);
    }
    return args;
  }

  /** Reads the command as a shell without brace expansion would run it. The effects must be the same. */
  #unbraced(args: readonly Arg[], situation: Situation): void {
    const other = new Walk('', { workspace: this.workspace, programs: this.#programs }, this.#budget);
    other.cwds = this.cwds;
    other.#background = this.#background;
    other.#guard(() => other.run(args, situation));
    const reason = other.reason ?? other.shown?.why;
    if (reason !== undefined) this.unclear(reason);
    const same = (part: Effect) => (own: Effect) => own.tool === part.tool && own.capability === part.capability;
    for (const part of other.parts) if (!part.target.includes('{') || !this.parts.some(same(part))) this.add(part);
  }

  /**
   * Reads substitutions, and reports secrets in variables: the command, an error message or `set -x` may show an
   * expansion.
   */
  #expansions({ inner, pieces }: Word, situation: Situation): void {
    for (const script of inner) this.#apart(() => this.#script(script, situation));
    if (pieces.some((piece) => piece.kind === 'unknown' && namesSecret(piece.source)))
      this.unclear('a variable that may hold a secret is used');
  }

  #setsVariable(name: string, value?: string): void {
    if (isHarmlessVariable(name) || (value !== undefined && isDisplayVariable(name, value))) return;
    this.unclear(variableDoubt(name));
  }

  /** Adds the files used in redirections and returns the resulting standard input. */
  #redirects(redirects: readonly Redirect[], situation: Situation): Stdin | undefined {
    let stdin: Stdin | undefined;
    for (const { operator, target } of redirects) {
      this.#expansions(target, situation);
      const arg = joinedWord(target);
      if (operator === '<<' || operator === '<<<') {
        stdin = arg.known ? { kind: 'text', text: arg.text } : unknown;
        continue;
      }
      if (operator.startsWith('<')) stdin = unknown;
      this.#redirect(operator, arg, situation);
    }
    return stdin;
  }

  #redirect(operator: string, arg: Arg, { env }: Situation): void {
    const duplicates = operator.endsWith('&') && /^(?:\d|-)$/.test(arg.text);
    if (duplicates || /^\/dev\/(?:null|stdin|stdout|stderr|tty|zero|fd\/\d+)$/.test(resolveAt('', arg.text))) return;
    const call = new Invocation(this, 'redirect', [arg], { stdin: inherited, env });
    if (/^\/dev\/(?:tcp|udp)\//.test(arg.text)) {
      this.unclear('the line opens a network connection');
      call.effect('execute', arg.text);
    } else call.path(operator === '<' || operator === '<&' ? 'read' : 'write', call.args[0]!);
  }
}

const union = (a: readonly string[], b: readonly string[]): readonly string[] =>
  b.every((place) => a.includes(place)) ? a : [...new Set([...a, ...b])];
