/** Readers for each command. */
import { shells } from '#core/catalog/program-words.ts';
import type { OwnPrograms } from '#core/contracts/config/catalog.ts';
import type { Profile } from '#core/contracts/shell-programs.ts';
import { rememberedText } from '#core/kernel/remembered.ts';
import { type Grammar, grammarOf, parseWords } from './arguments.ts';
import { builtins, entriesFor } from './builtins.ts';
import { commandTree } from './command-tree.ts';
import { git, programOfGit } from './git.ts';
import { interpret } from './interpret.ts';
import type { Invocation, Reader } from './invocation.ts';
import { ownTrees } from './own-programs.ts';
import { commandPrograms, profiles } from './profiles/all.ts';
import { dd, tar } from './readers/archives.ts';
import { commandProgram } from './readers/command-programs.ts';
import { find } from './readers/find.ts';
import { curl, editor, remoteCopy, wget } from './readers/network.ts';
import { parallel, readDeferred, ssh, watch, xargs } from './readers/runners.ts';
import { otherShell, shell } from './readers/shells.ts';

interface CommandReader {
  readonly read: Reader;
  /** Set if word splitting is harmless or the reader checks for it. */
  readonly loose: boolean;
  readonly isKnown: boolean;
}

type CommandCheck = (call: Invocation, grammar: Grammar) => void;

/** Programs with effects beyond the roles of their arguments. */
const specials = new Map<string, CommandCheck>([
  ...entriesFor('tar bsdtar gtar', tar),
  ['dd', dd],
  ...entriesFor('xargs gxargs', xargs),
  ...entriesFor('parallel sem', parallel),
  ['watch', watch],
  ['ssh', ssh],
  ...entriesFor('at batch crontab', readDeferred),
  ['curl', curl],
  ['wget', wget],
  ...entriesFor('scp sftp', remoteCopy),
  ...entriesFor('vi vim nvim view rvim emacs nano pico joe micro ed ex red', editor),
]);

/** Programs with their own grammar. */
const grammars = new Map<string, Reader>([
  ...entriesFor('find gfind', find),
  ['git', git],
  ...entriesFor(shells.read, shell),
  ...entriesFor(shells.others, otherShell),
]);

const runsCommands = ({ operands }: Profile): boolean => operands.some((operand) => operand.startsWith('command'));
const showsWords = ({ operands, syntax }: Profile): boolean =>
  syntax === 'none' && operands.every((operand) => operand.startsWith('text'));

/** Grammars of profiles, built on first use. */
const profileGrammar = rememberedText((name) => grammarOf(name, profiles.get(name)!));

const table = new Map<string, CommandReader>([
  ...[...profiles].map(([name, profile]): [string, CommandReader] => {
    const special = specials.get(name);
    const read: Reader = (call) => {
      const grammar = profileGrammar(name);
      if (special) special(call, grammar);
      else interpret(call, grammar, parseWords(call.args, grammar));
    };
    return [name, { read, loose: runsCommands(profile) || showsWords(profile), isKnown: true }];
  }),
  ...[...grammars].map(([name, read]): [string, CommandReader] => [name, { read, loose: false, isKnown: true }]),
  ...[...commandPrograms].map(([name, program]): [string, CommandReader] => [
    name,
    { read: (call) => commandProgram(program, commandTree(name)!)(call), loose: false, isKnown: true },
  ]),
  ...[...builtins].map(([name, read]): [string, CommandReader] => [name, { read, loose: true, isKnown: true }]),
]);

/** Reader for an unknown program, whose arguments are all treated as its target. */
const anything: CommandReader = {
  read: (call) => {
    programOfGit(call);
    call.whole('execute');
    call.unclear(
      `${call.binary} is not a supported program (docs/reference/shell-programs.md lists the supported ones)`,
    );
  },
  loose: false,
  isKnown: false,
};

/**
 * Returns the reader of a program. `python3.11` is read like `python3`, and a loader runs the program it is given.
 * @param programs programs described in the configuration.
 */
export function readerOf(binary: string, programs?: OwnPrograms): CommandReader {
  const known = table.get(binary);
  if (known) return known;
  const own = programs && ownTrees(programs).get(binary);
  if (own) return { read: commandProgram(own.program, own.tree), loose: false, isKnown: true };
  if (/^ld(?:-linux|-musl)?[\w.-]*\.so[\w.-]*$/.test(binary)) return table.get('nohup')!;
  const stem = binary.replace(/[-\d.]+$/, '');
  return (stem !== binary && /^(?:python|pypy|node|ruby|perl|php|lua)$/.test(stem) && table.get(stem)) || anything;
}
