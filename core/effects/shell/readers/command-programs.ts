/** Programs whose first words name a command, parsed according to their description. */

import type { Command, CommandProgram } from '#core/contracts/shell-programs.ts';
import { givenOptions, isGiven, isOneOf, type ParsedArguments, parseWords } from '../arguments.ts';
import { type CommandNode, type CommandTree, type FoundCommand, nextNode } from '../command-tree.ts';
import { capabilityOf, interpret } from '../interpret.ts';
import { type Invocation, type Reader, short } from '../invocation.ts';
import { assign } from '../operands.ts';
import type { Arg } from '../words.ts';
import { resourceKind, resourcesOf } from './resources.ts';

export const commandProgram =
  (program: CommandProgram, root: CommandTree): Reader =>
  (call) =>
    readProgram(call, program, root);

interface CommandWords {
  readonly words: readonly Arg[];
  /** Options before and between the command's words. */
  readonly before: readonly Arg[];
  readonly globals: readonly ParsedArguments[];
  /** All arguments after the command. */
  readonly args: readonly Arg[];
}

function readProgram(call: Invocation, program: CommandProgram, root: CommandTree): void {
  const words: Arg[] = [];
  const before: Arg[] = [];
  const globals: ParsedArguments[] = [];
  let node: CommandNode = root;
  let args = call.args;
  for (;;) {
    const profile = { does: 'read', syntax: program.syntax, exact: true, stops: true, operands: [] } as const;
    const parsed = parseWords(args, { profile, options: node.options });
    const [name, ...rest] = parsed.operands;
    const options = args.slice(0, args.length - parsed.operands.length);
    const next = name?.known && !name.glob ? nextNode(node, name.text) : undefined;
    if (!next || options.some(({ text }) => text === '--')) break;
    before.push(...options);
    globals.push(parsed);
    words.push(name!);
    args = rest;
    node = next;
  }
  const given = { words, before, globals, args };
  const found = node.found ? ([node.found, given] as const) : byVerb(root, given);
  if (globals.some(({ problems }) => problems.length > 0) || !found) readUnknown(call, root);
  if (found) readCommand(call, program, ...found);
}

/** Returns an unlisted command, classified by the most severe verb among its words. */
function byVerb({ verbs }: CommandTree, given: CommandWords): readonly [FoundCommand, CommandWords] | undefined {
  const { words, args } = given;
  const end = args.findIndex(({ text }) => text.startsWith('-'));
  const plain = args.slice(0, end < 0 ? args.length : end);
  for (const [verb, found] of verbs) {
    const at = plain.findIndex(({ text, known }) => known && verb.test(text));
    if (at >= 0) return [found, { ...given, words: [...words, ...plain.slice(0, at + 1)], args: args.slice(at + 1) }];
  }
  return undefined;
}

/** Reports words with unknown effects. */
function readUnknown(call: Invocation, { options }: CommandNode): void {
  const parsed = parseWords(call.args, { profile: { does: 'read', syntax: 'pflag', operands: [] }, options });
  if (parsed.operands.length + parsed.problems.length === 0 && isGiven(parsed, '-h --help --version -version -help')) {
    call.effect('read', '');
    return;
  }
  const line = [call.binary, ...call.args.map(({ text }) => text)].join(' ');
  call.unclear(
    `"${short(line)}" does not begin with supported options and a supported command (docs/reference/shell-programs.md)`,
  );
  call.whole('execute');
}

function readCommand(call: Invocation, program: CommandProgram, found: FoundCommand, given: CommandWords): void {
  const { command, grammar } = found;
  const own = parseWords(given.args, grammar);
  const parsed = { ...own, options: [...given.globals.flatMap(({ options }) => options), ...own.options] };
  const line = orderedWords(program, command, own, given);
  const text = line.map(({ text: word }) => word).join(' ');
  const about = {
    operation: given.words.map(({ text: word }) => word).join(' '),
    objects: objectsOf(call, program, command, parsed),
    scopes: scopesOf(program, parsed),
  };
  const { does } = capabilityOf(grammar.profile, parsed);
  const prints = isSecret(command, text, about.objects);
  const says = prints ? 'prints secrets:' : does === command.does ? command.says : undefined;
  const named = { ...about, words: objectWords(command, about.objects, parsed) };
  const action = does === 'read' && !prints ? undefined : actionOf(says ?? verbs[does], named);
  const risk = riskOf(command, text);
  call.isAbout({
    operation: about.operation,
    ...about.scopes,
    ...(about.objects.length > 0 && { objects: about.objects }),
    ...(action !== undefined && { action }),
    ...(risk !== undefined && { risk }),
  });
  if (prints) call.shows('secrets', `${call.binary} ${about.operation} prints secrets`);
  interpret(call, grammar, parsed, line);
}

interface OperationFacts {
  readonly operation: string;
  readonly objects: readonly string[];
  readonly scopes: Readonly<Record<string, string>>;
}

const verbs = { read: 'reads', write: 'changes', delete: 'deletes', execute: 'runs' } as const;

/** Describes the action, as in `deletes pod x in namespace shop`. */
function actionOf(
  says: string,
  { words, scopes }: OperationFacts & { readonly words: string | undefined },
): string | undefined {
  if (words === undefined) return says.endsWith(':') ? says.slice(0, -1) : undefined;
  const places = Object.entries(scopes).map(([scope, value]) =>
    value === '*' ? ` in every ${scope}` : ` in ${scope} ${value}`,
  );
  return `${says} ${words}${places.join('')}`;
}

/** Describes the objects in words. Undefined if the command names none. */
function objectWords(
  { kind, operands = [] }: Command,
  objects: readonly string[],
  parsed: ParsedArguments,
): string | undefined {
  if (objects.length === 0) {
    const files = parsed.options.flatMap(({ known, value }) => (known?.role === 'source' ? (value?.text ?? []) : []));
    return files.length === 0 ? undefined : `the objects in ${files.join(', ')}`;
  }
  const [from, to, ...others] = objects;
  if (operands.includes('from') && operands.includes('to') && to !== undefined && others.length === 0)
    return `${from} to ${to}`;
  const hasKinds = kind !== undefined || operands.some((role) => role.startsWith('resource'));
  const shown = objects.slice(0, shownObjects).map((object) => (hasKinds ? kindFirst(object) : object));
  return shown.join(', ') + (objects.length > shown.length ? ` and ${objects.length - shown.length} more` : '');
}

/** Converts `pull-request/12` to `pull request 12`. */
const kindFirst = (object: string): string => {
  const [kind = '', ...name] = object.split('/');
  return name.length === 0 ? object : `${kind.replaceAll('-', ' ')} ${name.join('/')}`;
};

const shownObjects = 5;

const riskOf = ({ risk = {} }: Command, text: string): string | undefined =>
  Object.entries(risk).find(([, when]) => when === true || when.test(text))?.[0];

/**
 * Returns the words in a fixed order, so that rules match regardless of where the options are: the command, its
 * operands, its options, then the options before the command. If the operands may be another command, everything after
 * the command keeps its order.
 */
function orderedWords(
  { syntax }: CommandProgram,
  { stops }: Command,
  own: ParsedArguments,
  { words, before, args }: CommandWords,
): Arg[] {
  if (stops || syntax === 'flag') return [...words, ...args, ...before];
  const operands = new Set(own.operands);
  const end = args.findIndex(({ text }) => text === '--');
  const behind = end < 0 ? [] : args.slice(end);
  const options = args.slice(0, args.length - behind.length).filter((arg) => !operands.has(arg));
  const plain = own.operands.filter((arg) => !behind.includes(arg));
  return [...words, ...plain, ...options, ...before, ...behind];
}

const isSecret = ({ secrets, prints }: Command, text: string, objects: readonly string[]): boolean =>
  secrets === true ||
  secrets?.test(text) === true ||
  (prints === 'values' && objects.some((object) => /(?:^|,)secrets?(?:[./,]|$)/.test(object)));

/** Returns the command's objects that its words name. */
function objectsOf(
  call: Invocation,
  { kinds = {}, ownKinds, objects: everywhere }: CommandProgram,
  { kind, prints, operands = [], objects }: Command,
  parsed: ParsedArguments,
): readonly string[] {
  const assigned = assign(parsed.operands, operands) ?? [];
  const words = (...roles: readonly string[]) =>
    assigned.filter(({ role }) => roles.includes(role)).map(({ arg }) => arg.text);
  const resources = resourcesOf(words('resource'), kinds, kind);
  if (prints) {
    const own = resources.objects.map(resourceKind).filter((each) => isOneOf(each, ownKinds));
    for (const each of [...resources.unknown, ...own])
      call.unclear(`${call.binary} would print objects of the kind ${short(each)}, which may hold secrets`);
  }
  const named = givenOptions(parsed, [objects, everywhere].filter(Boolean).join(' ')).flatMap(
    ({ value }) => value?.text.split(',') ?? [],
  );
  const ofKind = [...words('object', 'name', 'repository', 'chart', 'path'), ...named].map((name) =>
    kind === undefined ? name : `${kind}/${name}`,
  );
  return [...new Set([...resources.objects, ...ofKind, ...words('from', 'to')])].slice(0, maxObjects);
}

const maxObjects = 64;

/**
 * Returns the scopes of the objects. If an option is repeated, the last occurrence counts, as it does in the programs.
 */
function scopesOf({ scopes = {}, everywhere = {} }: CommandProgram, parsed: ParsedArguments): Record<string, string> {
  const named = Object.entries(scopes).flatMap(([scope, names]) => {
    const value = givenOptions(parsed, names).at(-1)?.value?.text;
    return value === undefined ? [] : [[scope, value]];
  });
  const all = Object.entries(everywhere)
    .filter(([, names]) => isGiven(parsed, names))
    .map(([scope]) => [scope, '*']);
  return Object.fromEntries([...named, ...all]);
}
