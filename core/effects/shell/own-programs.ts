/** Programs described in a configuration (`catalog.programs`), which are read like the gateway's own [catalog.own]. */
import type { OwnProgram, OwnPrograms } from '#core/contracts/config/catalog.ts';
import type { Command, CommandProgram, Operands, OperandsByRole, Options } from '#core/contracts/shell-programs.ts';
import { remembered } from '#core/kernel/remembered.ts';
import { type CommandTree, treeOf } from './command-tree.ts';

interface OwnTree {
  readonly program: CommandProgram;
  readonly tree: CommandTree;
}

/** Returns the programs with their commands, by name. @throws TypeError under the same conditions as `treeOf`. */
export const ownTrees = remembered(
  (programs: OwnPrograms): ReadonlyMap<string, OwnTree> =>
    new Map(Object.entries(programs).map(([name, entry]) => [name, ownTree(name, entry)])),
);

/** @throws TypeError if an option or a command is described twice. */
export function ownTree(name: string, { options, scopes, commands }: OwnProgram): OwnTree {
  const { objects, ...given } = optionsOf(options);
  const program: CommandProgram = {
    syntax: 'pflag',
    ...given,
    ...(objects !== undefined && { objects }),
    ...(scopes && { scopes }),
    commands: Object.fromEntries(Object.entries(commands).map(([words, command]) => [words, commandOf(command)])),
  };
  return { program, tree: treeOf(name, program) };
}

function commandOf(given: OwnProgram['commands'][string]): Command {
  if (typeof given === 'string') return { ...effectOf(given), operands: ['word*'] };
  const { does, says, kind, target, operands, options, risk } = given;
  return {
    ...effectOf(does),
    ...(says !== undefined && { says }),
    ...(kind !== undefined && { kind }),
    ...optionsOf(options),
    operands: (operands as Operands | undefined) ?? operandsOf(target),
    ...(risk && { risk: { [risk]: true } }),
  };
}

const effectOf = (does: 'secret' | Command['does']): Pick<Command, 'does' | 'secrets'> =>
  does === 'secret' ? { does: 'read', secrets: true } : { does };

/** Returns operand roles in which the object has this position, counted from 1. */
const operandsOf = (target: number | undefined): Operands =>
  target === undefined ? ['word*'] : [...Array.from({ length: target - 1 }, () => 'word' as const), 'object', 'word*'];

function optionsOf({
  values = {},
  flags,
  refused,
}: NonNullable<OwnProgram['options']> = {}): Options & Pick<Command, 'objects'> {
  const byRole: OperandsByRole = typeof values === 'string' ? { word: values } : values;
  return {
    ...(flags !== undefined && { flags }),
    ...(refused !== undefined && { refused }),
    values: byRole,
    ...(byRole.object !== undefined && { objects: byRole.object }),
  };
}
