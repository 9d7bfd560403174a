/** What a policy decides of one call: the call itself where it stands for itself, and each of its effects. */
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { Effects } from '#core/effects/ports.ts';

/** Undefined where no rule is proposed: the text is not certain, prints secrets, or variables are set before a command. */
export function unitsOf(call: ToolCall, effects: Effects): readonly ToolCall[] | undefined {
  if (effects.unclear !== undefined && effects.shows !== 'changes') return undefined;
  const units = everyUnit(call, effects);
  return units.some(({ parameters }) => parameters.env !== undefined) ? undefined : units;
}

/** Also of a call that no rule can allow: what of it a rule would match. */
export function everyUnit(call: ToolCall, { parts, carrier, unclear, shows }: Effects): readonly ToolCall[] {
  const { upstream } = call;
  const placed = parts.map((part) => ({ ...(upstream !== undefined && { upstream }), ...part }));
  const alone = !carrier || parts.length === 0 || (unclear !== undefined && shows === undefined);
  return alone ? [call, ...placed] : placed;
}
