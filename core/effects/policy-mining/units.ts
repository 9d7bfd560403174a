/** Units of a call that a policy decides: the call itself and each of its effects. */
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { Effects } from '#core/effects/ports.ts';

/**
 * Returns the units, or undefined if no rule is proposed: the text is unclear, shows secrets, or sets variables before
 * a command.
 */
export function unitsOf(call: ToolCall, effects: Effects): readonly ToolCall[] | undefined {
  if (effects.unclear !== undefined && effects.shows !== 'changes') return undefined;
  const units = everyUnit(call, effects);
  return units.some(({ parameters }) => parameters.env !== undefined) ? undefined : units;
}

/** Returns all units that a rule may match, even of a call that no rule can allow. */
export function everyUnit(call: ToolCall, { parts, carrier, unclear, shows }: Effects): readonly ToolCall[] {
  const { upstream } = call;
  const placed = parts.map((part) => ({ ...(upstream !== undefined && { upstream }), ...part }));
  const alone = !carrier || parts.length === 0 || (unclear !== undefined && shows === undefined);
  return alone ? [call, ...placed] : placed;
}
