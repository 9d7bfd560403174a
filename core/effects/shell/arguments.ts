/** Parses a command's words according to its profile, as the program itself would. */

import type { Names, Profile, Role } from '#core/contracts/shell-programs.ts';
import { type Capability, short } from './invocation.ts';
import type { Arg } from './words.ts';

export interface KnownOption {
  /** `-n`, `--lines`. */
  readonly name: string;
  readonly takes: 'nothing' | 'value' | 'attached';
  readonly role: Role | undefined;
  readonly refused: boolean;
  readonly changes: Capability | undefined;
}

export interface Option {
  /** The full name, or the name as written if the option is unknown. */
  readonly name: string;
  readonly known: KnownOption | undefined;
  readonly value: Arg | undefined;
  /** The argument that contains the value. */
  readonly source: Arg | undefined;
}

export interface ParsedArguments {
  readonly options: readonly Option[];
  readonly operands: readonly Arg[];
  /** Operands after `--`, which an expansion cannot turn into options. */
  readonly certain: ReadonlySet<Arg>;
  /** Set if an option follows an operand: the operands as seen by a program that stops at the first one. */
  readonly unpermuted: readonly Arg[] | undefined;
  /** Reasons why the words cannot be parsed with certainty. */
  readonly problems: readonly string[];
}

/** A profile with its options by name. */
export interface Grammar {
  readonly profile: Profile;
  readonly options: ReadonlyMap<string, KnownOption>;
}

export const splitNames = (names: Names | undefined): readonly string[] => names?.split(/\s+/).filter(Boolean) ?? [];

/** Returns a record's entries, one per name. Each key of the record may list several names. */
export const byName = <T>(programs: Readonly<Record<string, T>>): (readonly [string, T])[] =>
  Object.entries(programs).flatMap(([names, program]) => splitNames(names).map((name) => [name, program] as const));

/** Syntaxes in which a single dash precedes a whole word, and the first operand ends the options. */
const wholeWords: ReadonlySet<Profile['syntax']> = new Set<Profile['syntax']>(['words', 'flag']);

/**
 * Returns the grammar of a profile.
 * @throws TypeError if the profile names an option twice or misspells one.
 */
export function grammarOf(program: string, profile: Profile): Grammar {
  const options = new Map<string, KnownOption>();
  const changes = new Map(
    Object.entries(profile.changes ?? {}).flatMap(([does, names]) =>
      splitNames(names).map((name) => [name, does as Capability] as const),
    ),
  );
  const shape = wholeWords.has(profile.syntax) ? /^-[\w-]+$/ : /^(?:-[^-\s]|--[A-Za-z0-9][\w.-]*)$/;
  const add = (names: Names | undefined, takes: KnownOption['takes'], role?: Role, refused = false): void => {
    for (const name of splitNames(names)) {
      if (!shape.test(name)) throw new TypeError(`${program}: ${name} is not the name of an option`);
      if (options.has(name)) throw new TypeError(`${program}: ${name} is listed twice in its profile`);
      options.set(name, { name, takes, role, refused, changes: changes.get(name) });
    }
  };
  add(profile.flags, 'nothing');
  add(profile.refused, 'nothing', undefined, true);
  for (const [role, names] of Object.entries(profile.values ?? {})) add(names, 'value', role as Role);
  for (const [role, names] of Object.entries(profile.attached ?? {})) add(names, 'attached', role as Role);
  for (const [name, does] of changes)
    if (!options.has(name))
      options.set(name, { name, takes: 'nothing', role: undefined, refused: false, changes: does });
  return { profile, options };
}

/** Name under which a program's profile lists options such as `-5`. */
const digitsOption = '-NUM';

/** Options shared by all programs that use getopt_long. */
const common = ['--help', '--version'];

export function parseWords(args: readonly Arg[], grammar: Grammar): ParsedArguments {
  const { syntax = 'permutes', stops } = grammar.profile;
  if (syntax === 'none')
    return { options: [], operands: args, certain: new Set(args), unpermuted: undefined, problems: [] };
  const options: Option[] = [];
  const operands: Arg[] = [];
  const certain = new Set<Arg>();
  const problems: string[] = [];
  const last = splitNames(grammar.profile.last);
  let firstOperand: number | undefined;
  let late = false;
  for (let at = isOneOf(args[0]?.text, grammar.profile.first) ? 1 : 0; at < args.length; at++) {
    const arg = args[at]!;
    const { text } = arg;
    if (at === 0 && grammar.profile.bundles && /^[A-Za-z]+$/.test(text)) {
      readBundle(arg, grammar, () => args[++at], options, problems);
      continue;
    }
    const isOver = options.some(({ name }) => last.includes(name));
    if (text === '--' || isOver) {
      if (isOver) at--;
      for (const rest of args.slice(at + 1)) certain.add(rest);
      operands.push(...args.slice(at + 1));
      break;
    }
    if (!text.startsWith('-') || text === '-') {
      firstOperand ??= at;
      operands.push(arg);
      if (!stops && syntax !== 'stops' && !wholeWords.has(syntax)) continue;
      for (const rest of args.slice(at + 1)) certain.add(rest);
      operands.push(...args.slice(at + 1));
      break;
    }
    late ||= firstOperand !== undefined;
    const next = (): Arg | undefined => args[++at];
    if (readOpen(arg, grammar, () => (isValue(args[at + 1]) ? args[++at] : undefined), options)) continue;
    if (wholeWords.has(syntax)) readWord(arg, grammar, next, options, problems);
    else if (text.startsWith('--')) readLong(arg, grammar, next, options, problems);
    else readCluster(arg, grammar, next, options, problems);
  }
  const unpermuted = late && syntax === 'permutes' ? args.slice(firstOperand) : undefined;
  return { options, operands, certain, unpermuted, problems };
}

export const isOneOf = (word: string | undefined, names: Names | undefined): boolean =>
  word !== undefined && splitNames(names).includes(word);

export const isGiven = (parsed: ParsedArguments, names: Names | undefined): boolean =>
  givenOptions(parsed, names).length > 0;

export function givenOptions({ options }: ParsedArguments, names: Names | undefined): Option[] {
  if (names === undefined) return [];
  const wanted = splitNames(names);
  return options.filter(({ name }) => wanted.includes(name));
}

type Next = () => Arg | undefined;

const isValue = (arg: Arg | undefined): arg is Arg => arg !== undefined && !arg.text.startsWith('-');

/** Reads an unlisted option of a program whose options are all handled alike: `--instance-ids i-1 i-2`. */
function readOpen(arg: Arg, { profile, options: all }: Grammar, next: Next, into: Option[]): boolean {
  const [, name, attached] = /^(-[A-Za-z]|--[a-z][\w-]*)(?:=([\s\S]*))?$/.exec(arg.text) ?? [];
  if (profile.open === undefined || name === undefined || common.includes(name)) return false;
  // Some programs accept abbreviations of listed options.
  if ([...all.keys()].some((each) => each.startsWith(name))) return false;
  const known: KnownOption = { ...standard(name), takes: 'attached', role: profile.open };
  const values = attached === undefined ? [] : [{ ...arg, text: attached }];
  if (attached === undefined) for (let value = next(); value; value = next()) values.push(value);
  if (values.length === 0) into.push({ name, known, value: undefined, source: undefined });
  for (const value of values) into.push({ name, known, value, source: attached === undefined ? value : arg });
  return true;
}

/** Reads a whole word after a single dash: `-ps`, and in Go syntax also `--ps` and `-ps=true`. */
function readWord(arg: Arg, grammar: Grammar, next: Next, into: Option[], problems: string[]): void {
  const isGo = grammar.profile.syntax === 'flag';
  const [, written = arg.text, value] = (isGo && /^-?(-[^=]+)(?:=([\s\S]*))?$/.exec(arg.text)) || [];
  const known = grammar.options.get(written);
  if (!known) unknownOption(arg.text, into, problems);
  else if (value !== undefined) problems.push(...withValue(known, { ...arg, text: value }, arg, grammar, into));
  else if (known.takes !== 'value') into.push({ name: known.name, known, value: undefined, source: undefined });
  else withNext(known, next, into, problems);
}

/** Reads `--lines=5`, `--lines 5`, and unambiguous abbreviations. */
function readLong(arg: Arg, grammar: Grammar, next: Next, into: Option[], problems: string[]): void {
  const equals = arg.text.indexOf('=');
  const written = equals < 0 ? arg.text : arg.text.slice(0, equals);
  const value = equals < 0 ? undefined : { ...arg, text: arg.text.slice(equals + 1) };
  const [known, ...others] = resolveLong(written, grammar);
  if (known === undefined) {
    unknownOption(written, into, problems, value);
    return;
  }
  if (others.length > 0) {
    problems.push(`${short(written)} may be short for several options`);
    for (const each of [known, ...others]) into.push({ name: each.name, known: each, value, source: value && arg });
    return;
  }
  if (value === undefined && known.takes === 'value') withNext(known, next, into, problems);
  else if (value !== undefined) problems.push(...withValue(known, value, arg, grammar, into));
  else into.push({ name: known.name, known, value, source: undefined });
}

/**
 * Reads an option with an attached value and returns the problem, if any. In Go syntax, `--flag=true` sets the flag and
 * `--flag=false` reverts its effect.
 */
function withValue(
  known: KnownOption,
  value: Arg,
  source: Arg,
  { profile: { syntax } }: Grammar,
  into: Option[],
): readonly string[] {
  const isFlag = known.takes === 'nothing';
  if (isFlag && (syntax === 'pflag' || syntax === 'flag') && /^(?:true|false)$/.test(value.text)) {
    if (value.text === 'true' || known.changes === undefined)
      into.push({ name: known.name, known, value: undefined, source: undefined });
    return [];
  }
  into.push({ name: known.name, known, value, source });
  return isFlag ? [`${known.name} takes no value`] : [];
}

/** Returns the option with this name, or all options that the name may abbreviate. */
function resolveLong(written: string, { profile, options }: Grammar): readonly KnownOption[] {
  const exact = options.get(written) ?? (common.includes(written) ? standard(written) : undefined);
  if (exact) return [exact];
  if (profile.exact || profile.syntax === 'pflag') return [];
  const names = new Set([...options.keys(), ...common]);
  return [...names].filter((name) => name.startsWith(written)).map((name) => options.get(name) ?? standard(name));
}

const standard = (name: string): KnownOption => ({
  name,
  takes: 'nothing',
  role: undefined,
  refused: false,
  changes: undefined,
});

/** Reads `-rf`, `-n5`, `-n 5`, `-5`. */
function readCluster(
  arg: Arg,
  { profile, options: all }: Grammar,
  next: Next,
  into: Option[],
  problems: string[],
): void {
  for (let at = 1; at < arg.text.length; at++) {
    const name = `-${arg.text[at]!}`;
    const rest = arg.text.slice(at + 1);
    const known = all.get(name);
    if (!known && profile.digits && /\d/.test(name)) {
      into.push({ name: digitsOption, known: standard(digitsOption), value: undefined, source: undefined });
      continue;
    }
    if (!known) {
      const value = rest === '' ? undefined : { ...arg, text: rest };
      if (!arg.known && '$`<>'.includes(name[1]!))
        problems.push(`the value of "${short(arg.text)}" is only known when the line runs`);
      else unknownOption(name, into, problems, value && /^[=~./]/.test(rest) ? value : undefined);
      // The rest may be the option's value, or more option letters.
      if (/^[=~./]/.test(rest)) return;
    } else if (known.takes === 'nothing') into.push({ name, known, value: undefined, source: undefined });
    else if (rest !== '' || known.takes === 'attached') {
      // `-n=shop` is equivalent to `-n shop`.
      const text = profile.syntax === 'pflag' ? rest.replace(/^=/, '') : rest;
      const value = rest === '' ? undefined : { ...arg, text };
      into.push({ name, known, value, source: value && arg });
      return;
    } else {
      withNext(known, next, into, problems);
      return;
    }
  }
}

/** Reads `tar xfC a.tar folder`: option letters without a dash, followed by their values in order. */
function readBundle(arg: Arg, { options: all }: Grammar, next: Next, into: Option[], problems: string[]): void {
  for (const letter of arg.text) {
    const known = all.get(`-${letter}`);
    if (!known) unknownOption(`-${letter}`, into, problems);
    else if (known.takes === 'value') withNext(known, next, into, problems);
    else into.push({ name: known.name, known, value: undefined, source: undefined });
  }
}

function withNext(known: KnownOption, next: Next, into: Option[], problems: string[]): void {
  const value = next();
  if (!value) problems.push(`${known.name} is missing its value`);
  else if (value.splits) problems.push(`the value of ${known.name} may expand to several words`);
  into.push({ name: known.name, known, value, source: value });
}

function unknownOption(name: string, into: Option[], problems: string[], value?: Arg): void {
  problems.push(`${short(name)} is not a supported option`);
  into.push({ name, known: undefined, value, source: value });
}
