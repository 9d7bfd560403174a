/** Assigns the arguments of a command to the operands of its profile. */
import type { Operands, Role } from '#core/contracts/shell-programs.ts';
import type { Arg } from './words.ts';

export interface OperandRole {
  readonly arg: Arg;
  readonly role: Role;
}

/** Returns each argument with its role, or undefined if there are too few or too many. */
export function assign(args: readonly Arg[], operands: Operands): readonly OperandRole[] | undefined {
  const slots = operands.map(slotOf);
  const repeating = slots.findIndex((slot) => slot.repeats);
  const least = slots.reduce((sum, slot) => sum + slot.least, 0);
  if (args.length < least || (repeating < 0 && args.length > slots.length)) return undefined;
  if (repeating < 0) return args.map((arg, i) => ({ arg, role: slots[i]!.role }));
  const behind = slots.slice(repeating + 1);
  const before = Math.min(repeating, args.length - behind.length);
  return args.map((arg, i) => {
    if (i < before) return { arg, role: slots[i]!.role };
    const fromEnd = args.length - i;
    return { arg, role: (fromEnd <= behind.length ? behind[behind.length - fromEnd]! : slots[repeating]!).role };
  });
}

/** Returns the worst role of the program's operands. */
export const worstRole = (operands: Operands): Role =>
  (['delete', 'write', 'execute', 'read', 'names'] as const).find((role) =>
    operands.some((operand) => slotOf(operand).role === role),
  ) ?? 'word';

/** Describes the allowed operands: `takes: pattern, file…`. */
export function operandCountText(operands: Operands): string {
  const slots = operands.map(slotOf);
  const least = slots.reduce((sum, slot) => sum + slot.least, 0);
  if (slots.some(({ repeats }) => repeats)) return `at least ${least}`;
  return slots.length === least ? `${least}` : `${least} to ${slots.length}`;
}

function slotOf(operand: string) {
  const last = operand.at(-1)!;
  const isMarked = '?*+'.includes(last);
  const role = (isMarked ? operand.slice(0, -1) : operand) as Role;
  const repeats = last === '*' || last === '+' || role === 'command';
  return { role, least: last === '?' || last === '*' ? 0 : 1, repeats };
}
