/** Parses a `git` command line as Git does: global options, the command, and the command's options and operands. */
import { gitData } from '#core/catalog/git.ts';
import type { Profile } from '#core/contracts/shell-programs.ts';
import { rememberedText } from '#core/kernel/remembered.ts';
import { byName, type Grammar, grammarOf, type ParsedArguments, parseWords } from './arguments.ts';
import type { Arg } from './words.ts';

export interface GitLine {
  /** Options before the command. */
  readonly globals: ParsedArguments;
  readonly name: Arg | undefined;
  readonly args: readonly Arg[];
  /** The command's profile. Absent if the command is unknown. */
  readonly command: { readonly profile: Profile; readonly grammar: Grammar } | undefined;
  readonly words: ParsedArguments;
}

const globals = grammarOf('git', gitData.globals);
const commands = new Map(byName(gitData.commands));
const unread = new Map(byName(gitData.unread));
/** Grammars of commands, built on first use. */
const commandGrammar = rememberedText((name): Grammar | undefined => {
  const profile = commands.get(name) ?? unread.get(name);
  if (!profile) return undefined;
  const { below: _, ...rest } = profile;
  return grammarOf(`git ${name}`, rest);
});
const noOptions = grammarOf('git', { does: 'execute', operands: ['word*'] });

export const isGitCommand = (name: string): boolean => commands.has(name);

/** Parses the words after `git`. */
export function gitLine(words: readonly Arg[]): GitLine {
  const before = parseWords(words, globals);
  const [name, ...args] = before.operands;
  const profile = commands.get(name?.text ?? '');
  const grammar = commandGrammar(name?.text ?? '') ?? noOptions;
  const command = profile && { profile, grammar };
  return { globals: before, name, args, command, words: parseWords(args, grammar) };
}
