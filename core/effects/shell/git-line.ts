/** Parses a `git` command line like Git does: global options, the command, and the command's options and operands. */
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
const table = (profiles: Readonly<Record<string, GitCommand>>) =>
  new Map(
    Object.entries(profiles).flatMap(([names, profile]) =>
      namesOf(names).map((name) => {
        const { below: _, ...rest } = profile;
        return [name, { profile, grammar: grammarOf(`git ${name}`, rest) }] as const;
      }),
    ),
  );
const commands = table(gitCommands);
const unread = table(unreadCommands);
const noOptions = grammarOf('git', { does: 'execute', operands: ['word*'] });

export const isGitCommand = (name: string): boolean => commands.has(name);

/** Parses the words after `git`. */
export function gitLine(words: readonly Arg[]): GitLine {
  const before = parseWords(words, globals);
  const [name, ...args] = before.operands;
  const command = commands.get(name?.text ?? '');
  const grammar = (command ?? unread.get(name?.text ?? ''))?.grammar ?? noOptions;
  return { globals: before, name, args, command, words: parseWords(args, grammar) };
}
