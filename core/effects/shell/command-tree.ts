/** Commands of programs, looked up by their words, each with its options. */

import type { Command, CommandProgram, Options } from '#core/contracts/shell-programs.ts';
import { rememberedText } from '#core/kernel/remembered.ts';
import { type Grammar, grammarOf, splitNames } from './arguments.ts';
import { commandPrograms } from './profiles/all.ts';

/** Commands that begin with the same words. */
export interface CommandNode {
  readonly next: Map<string, CommandNode>;
  /** Next words by prefix: `describe-*`. */
  readonly prefixes: Map<string, CommandNode>;
  /** Options allowed before the next word. */
  options: Grammar['options'];
  found?: FoundCommand;
}

export interface CommandTree extends CommandNode {
  /** Unlisted commands matched by their verb, the most severe first. */
  readonly verbs: readonly (readonly [word: RegExp, found: FoundCommand])[];
}

export interface FoundCommand {
  readonly command: Command;
  readonly grammar: Grammar;
}

/**
 * Builds the command tree of a program.
 * @throws TypeError if a command is described twice.
 */
export function treeOf(name: string, program: CommandProgram): CommandTree {
  const { syntax } = program;
  const optionsOf = (words: string, options: Options): Grammar['options'] =>
    grammarOf(words, { ...options, syntax, does: 'read', operands: [] }).options;
  const describe = (words: string, command: Command) => {
    const own = optionsOf(`${name} ${words}`, command);
    const { does, stops, open, showsNames, operands = [] } = command;
    const ends = { ...(stops && { stops }), ...(open && { open }), ...(showsNames && { showsNames }) };
    const profile = { does, syntax, exact: true, whole: true, operands, ...ends } as const;
    return (before: Grammar['options']): FoundCommand => ({
      command,
      grammar: { profile, options: new Map([...before, ...own]) },
    });
  };
  const root = emptyNode(optionsOf(name, program));
  for (const [words, options] of Object.entries(program.groups ?? {})) {
    const node = nodeAt(root, words);
    node.options = new Map([...node.options, ...optionsOf(`${name} ${words}`, options)]);
  }
  for (const [commands, command] of Object.entries(program.commands)) {
    const found = describe(commands, command);
    for (const words of commands.split(/,\s+/)) {
      const node = nodeAt(root, words);
      if (node.found) throw new TypeError(`${name}: ${words} is described twice`);
      node.found = found(node.options);
    }
  }
  const verbs = Object.entries(program.verbs ?? {}).map(
    ([words, command]) => [wordsLike(words), describe(words, command)(root.options)] as const,
  );
  const gravity = ([, { command }]: (typeof verbs)[number]) =>
    ['delete', 'execute', 'write', 'read'].indexOf(command.does);
  return { ...root, verbs: verbs.sort((a, b) => gravity(a) - gravity(b)) };
}

/** Returns a pattern for words such as `create-* delete`, where `*` matches any ending. */
const wordsLike = (words: string): RegExp => new RegExp(`^(?:${splitNames(words).join('|').replaceAll('*', '.*')})$`);

const emptyNode = (options: Grammar['options']): CommandNode => ({ next: new Map(), prefixes: new Map(), options });

function nodeAt(root: CommandNode, words: string): CommandNode {
  return words.split(' ').reduce((node, word) => {
    const isPrefix = word.endsWith('*');
    const [nodes, key] = isPrefix ? [node.prefixes, word.slice(0, -1)] : [node.next, word];
    const known = nodes.get(key) ?? emptyNode(node.options);
    nodes.set(key, known);
    return known;
  }, root);
}

export const nextNode = ({ next, prefixes }: CommandNode, word: string): CommandNode | undefined =>
  next.get(word) ?? [...prefixes].find(([prefix]) => word.startsWith(prefix))?.[1];

/**
 * Returns the commands of a program in the catalog. The tree is built on first use, because most processes see few
 * programs.
 */
export const commandTree = rememberedText((name): CommandTree | undefined => {
  const program = commandPrograms.get(name);
  return program && treeOf(name, program);
});

/** Returns the command of an effect, looked up by program and `operation`. */
export function describedCommand(program: string, operation: unknown): Command | undefined {
  const tree = commandTree(program);
  if (typeof operation !== 'string' || !tree) return undefined;
  const words = operation.split(' ');
  const node = words.reduce<CommandNode | undefined>((each, word) => each && nextNode(each, word), tree);
  return node?.found?.command ?? tree.verbs.find(([verb]) => verb.test(words.at(-1)!))?.[1].command;
}
