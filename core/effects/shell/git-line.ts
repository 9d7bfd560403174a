/** Parses a `git` command line like Git does: global options, the command, and the command's options and operands. */
import { rememberedText } from '#core/kernel/remembered.ts';
import { type Grammar, grammarOf, namesOf, type Parsed, parseWords } from './arguments.ts';
import { unreadCommands } from './profiles/git/changing-commands.ts';
import type { GitCommand } from './profiles/git/options.ts';
import { gitCommands, gitGlobals } from './profiles/git.ts';
import type { Arg } from './words.ts';

export interface GitLine {
  /** Options before the command. */
  readonly globals: Parsed;
  readonly name: Arg | undefined;
  readonly args: readonly Arg[];
  /** Its profile; absent if the command is unknown. */
  readonly command: { readonly profile: GitCommand; readonly grammar: Grammar } | undefined;
  readonly words: Parsed;
}

const globals = grammarOf('git', gitGlobals);
const byName = (profiles: Readonly<Record<string, GitCommand>>) =>
  new Map(
    Object.entries(profiles).flatMap(([names, profile]) => namesOf(names).map((name) => [name, profile] as const)),
  );
const commands = byName(gitCommands);
const unread = byName(unreadCommands);
/** Grammars of commands, built at their first use. */
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
