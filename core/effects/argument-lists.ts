/**
 * Effects of a call whose tool runs a program with command-line arguments: `kubernetes.get` with `args: [get, secret]`,
 * `git_log` with `flags: [--output=x]`. The arguments are parsed like the same line in a shell [effects.profiles].
 */

import { programs } from '#core/catalog/tool-names.ts';
import type { Capability, ToolCall } from '#core/contracts/envelope.ts';
import { moreSevere } from '#core/policy/classification/classify-tool.ts';
import {
  isOptionInPlace,
  isOptionWord,
  listKind,
  type NamedProgram,
  programNamed,
  startsProgram,
  wordsOfText,
} from '#core/policy/classification/command-programs.ts';
import { toolWords, wordsIn } from '#core/policy/classification/tool-words.ts';
import type { EffectReader, Effects } from './ports.ts';
import { commandTree, describedCommand } from './shell/command-tree.ts';
import { isGitCommand } from './shell/git-line.ts';
import { commandPrograms } from './shell/profiles/all.ts';
import { Walk } from './shell/walk.ts';
import { argOf } from './shell/words.ts';

const maxLevels = 8;
const standsAlone: Effects = { parts: [], carrier: false };

export const argumentListEffects: EffectReader = (call) => {
  const { family, words } = toolWords(call.tool);
  const named = programNamed([...family, ...words]);
  if (!named) return standsAlone;
  const lists = [...listsIn(call.parameters, 0)];
  const read = linesRead(named, lists);
  const unclear = [
    ...read.flatMap((each) => each.unclear ?? []),
    ...Object.entries(call.parameters)
      .filter(
        ([key, value]) => typeof value === 'string' && isOptionInPlace([...family, ...words], wordsIn(key), value),
      )
      .map(([key]) => `the argument "${key.slice(0, 40)}" may be an option of ${named.program}`),
  ];
  return {
    parts: lists.length === 0 ? [] : [openedCall(call, lists, read)],
    carrier: false,
    ...(unclear.length > 0 && { unclear: [...new Set(unclear)].slice(0, 5).join('; ') }),
  };
};

/** Limits above which a call is unclear and none of its lines are parsed. */
const maxLists = 64;
const maxCharacters = 16 * 1024;

function linesRead({ program, rest }: NamedProgram, lists: readonly List[]): readonly ReadLine[] {
  const characters = lists.reduce((sum, { words }) => words.reduce((length, word) => length + word.length + 1, sum), 0);
  if (lists.length > maxLists || characters > maxCharacters)
    return [{ parts: [], unclear: `the call passes more words to ${program} than the gateway reads` }];
  const command = commandOf(program, rest);
  return lists.flatMap((list) => [
    ...(list.unclear === undefined ? [] : [{ parts: [], unclear: list.unclear }]),
    ...[list.words, ...againSplit(list.words)]
      .flatMap((words) => linesOf(program, command, words))
      .map((line) => readLine(program, line)),
  ]);
}

/** Returns the call with its argument words, and lists the paths among them separately for rules and guards. */
function openedCall(call: ToolCall, lists: readonly List[], read: readonly ReadLine[]): ToolCall {
  const parts = read.flatMap((each) => each.parts);
  const asked = parts.map((part) => part.capability as Capability).filter((capability) => capability !== 'read');
  if (read.some(({ unclear }) => unclear !== undefined)) asked.push('execute');
  return {
    ...call,
    capability: asked.reduce(moreSevere, call.capability as Capability),
    parameters: {
      ...call.parameters,
      argument_words: lists.flatMap(({ words }) => words.flatMap((word) => [word, ...valueIn(word)])),
      argument_paths: parts.map(({ target }) => target).filter((target) => target !== ''),
    },
  };
}

/** Returns the command of the program that the tool is named after, or an empty list if it is not a known command. */
const commandOf = (program: string, rest: readonly string[]): readonly string[] =>
  program === 'git' ? rest.filter(isGitCommand).slice(0, 1) : commandNamed(program, rest);

const listing: ReadonlyMap<string, string> = new Map(Object.entries(programs.listing));

/**
 * Returns the command named in a tool's name: `state_list`, `ec2_describe_instances`, and `images` for `list_images`.
 * Empty if none is known.
 */
function commandNamed(program: string, words: readonly string[]): readonly string[] {
  const plain = words.join('');
  const behind = words.slice(1).join('');
  const all = Object.keys(commandPrograms.get(program)?.commands ?? {}).flatMap((each) => each.split(/,\s+/));
  const found = (name: string) => all.find((command) => command.replaceAll(/[- ]/g, '') === name)?.split(' ');
  const known = found(plain) ?? (behind === '' ? undefined : found(behind));
  if (known) return known;
  const list = plain === 'list' ? listing.get(program) : undefined;
  return list === undefined ? [] : [list];
}

interface List {
  readonly words: readonly string[];
  /** Reason why the words are unclear: a string with shell metacharacters, or a list with objects. */
  readonly unclear?: string;
}

/** Yields the argument words of each object, in the order in which a server joins them. */
function* listsIn(value: unknown, level: number): Iterable<List> {
  if (value === null || typeof value !== 'object' || level > maxLevels) return;
  if (!Array.isArray(value)) {
    const list = argumentList(Object.entries(value).map(([key, member]) => [wordsIn(key), member]));
    if (list) yield list;
  }
  for (const item of Object.values(value)) yield* listsIn(item, level + 1);
}

type Members = readonly (readonly [key: readonly string[], value: unknown])[];

function argumentList(members: Members): List | undefined {
  // If the call also has a statement, a list holds the statement's values.
  if (members.some(([key, value]) => typeof value === 'string' && statements.has(key.join('_')))) return undefined;
  const lists = members.filter(([key, value]) => holdsWords(key, value)).map(([, value]) => argumentWords(value));
  const unclear = lists.find((list) => list.unclear !== undefined)?.unclear;
  const words = lists.flatMap((list) => list.words);
  if (words.length === 0 && unclear === undefined) return undefined;
  const before = members.flatMap(([key, value]) => (leading.has(key.join('_')) ? argumentWords(value).words : []));
  return { words: [...before, ...words], ...(unclear !== undefined && { unclear }) };
}

const statements = new Set(['sql', 'query', 'statement', 'stmt']);
const leading = new Set(['command', 'cmd', 'subcommand', 'verb']);

function holdsWords(key: readonly string[], value: unknown): boolean {
  const kind = listKind(key);
  if (kind === undefined) return false;
  const isList = typeof value === 'string' || Array.isArray(value);
  return (kind === 'certain' && isList) || argumentWords(value).words.some(isOptionWord);
}

function argumentWords(value: unknown): List {
  if (typeof value === 'string') {
    const unclear = special.test(value.trim()) && { unclear: 'the argument string contains more than plain words' };
    return { words: wordsOfText(value), ...unclear };
  }
  if (value === null || typeof value !== 'object') return { words: [] };
  if (!Array.isArray(value))
    return { words: Object.entries(value).flatMap(([option, item]) => optionOf(option, item)) };
  const words = value.filter((item) => typeof item === 'string' || typeof item === 'number').map(String);
  return { words, ...(words.length < value.length && { unclear: 'the argument list contains more than strings' }) };
}

const special = /[;&|<>$`(){}'"\\*?[\]#!~\p{Cc}]/u;

/** Returns the options set in an object such as `{"--output": "x", "--all": true}`. */
const optionOf = (option: string, value: unknown): string[] => {
  if (value === false || value === null) return [];
  return [value === true || value === '' ? option : `${option}=${String(value)}`];
};

/** Returns the value of an option: `x` for `--var-file=x`. */
const valueIn = (word: string): string[] => /^-[^=]*=([\s\S]+)$/.exec(word)?.slice(1) ?? [];

/**
 * Returns the words that result from joining the list into one line and splitting it again, because a server may do the
 * same.
 */
const againSplit = (words: readonly string[]): (readonly string[])[] =>
  words.some((word) => /\s/.test(word)) ? [wordsOfText(words.join(' '))] : [];

/**
 * Returns the command lines that a server may build from the words: a whole line, or arguments for the command in the
 * tool's name.
 */
function linesOf(program: string, command: readonly string[], words: readonly string[]): (readonly string[])[] {
  const given = startsProgram(program, words[0]) ? words.slice(1) : words;
  if (command.length === 0 || given[0] === command[0]) return [given];
  const behind = [...command, ...given];
  return isCommand(program, given[0]) ? [given, behind] : [behind];
}

const isCommand = (program: string, word = ''): boolean =>
  program === 'git' ? isGitCommand(word) : commandTree(program)?.next.has(word) === true;

interface ReadLine {
  readonly parts: readonly ToolCall[];
  readonly unclear?: string;
}

function readLine(program: string, words: readonly string[]): ReadLine {
  const walk = new Walk('');
  walk.readVector([program, ...words].map(argOf), { stdin: { kind: 'inherited' }, env: {} });
  // A command that only plans counts as a read.
  const parts = walk.parts.map((part) =>
    describedCommand(program, part.parameters.operation)?.plans && part.capability === 'execute'
      ? { ...part, capability: 'read' as const }
      : part,
  );
  const isSecret = walk.shown?.what === 'secrets';
  if (isSecret || parts.some(changesMore))
    return { parts, unclear: `"${lineText(program, words)}" is not a line that is known to look only` };
  const runs = parts.some(
    ({ capability, target, parameters: { operation } }) =>
      operation === undefined && (capability === 'execute' || /^[a-z][a-z+.-]*:\/\//i.test(target)),
  );
  const unclear =
    walk.reason ?? (runs ? `"${lineText(program, words)}" runs a program or reaches another machine` : undefined);
  return { parts, ...(unclear !== undefined && { unclear }) };
}

/** Checks for a command that does more than read, or runs in another context or folder. */
const changesMore = ({ capability, parameters: { operation, context, cwd } }: ToolCall): boolean =>
  operation !== undefined && (capability !== 'read' || context !== undefined || cwd !== undefined);

const lineText = (program: string, words: readonly string[]): string => {
  const line = [program, ...words].join(' ');
  return line.length > 80 ? `${line.slice(0, 80)}…` : line;
};
