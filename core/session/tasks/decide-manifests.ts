/**
 * Handles drift according to the manifest's mode: `warn` records it, `review` holds the call for approval, `enforce`
 * blocks the call.
 */
import type { Drift } from '#core/contracts/drift.ts';
import type { EffectSummary, FirstSheet } from '#core/contracts/task-manifest.ts';
import type { Effects } from '#core/effects/ports.ts';
import type { Verdict } from '#core/policy/rules/verdict.ts';

/** Returns the verdict on drift, or undefined if drift is only recorded. */
export function driftVerdict(
  drift: readonly Drift[],
  { enforcement_mode }: { readonly enforcement_mode: 'warn' | 'review' | 'enforce' },
): Verdict | undefined {
  const [first] = drift;
  if (!first || enforcement_mode === 'warn') return undefined;
  const matched_rule = `manifest:${first.manifest_id}`;
  if (enforcement_mode === 'review') return { decision: 'review', matched_rule, reason: driftInWords(drift) };
  const more = drift.length > 1 ? ` (and ${drift.length - 1} more)` : '';
  return { decision: 'block', matched_rule, reason: `The call is outside its task: ${words(first)}${more}.` };
}

const words = ({ kind, found, allowed }: Drift): string => `${kind} is ${JSON.stringify(found)}, declared: ${allowed}`;

/** Describes drift for the reviewer, on every channel. */
export const driftInWords = (drift: readonly Drift[]): string => `${drift.map(outsideText).join(' ')}`;

const outsideText = ({ kind, found, allowed }: Drift): string =>
  `Outside this session's task sheet: ${kind.replace('_', ' ')} ${JSON.stringify(found)}; the sheet allows ${allowed}.`;

/** Limits for an entry: the number of effects and the length of a target. */
const maxEffects = 32;
export const maxTarget = 200;

/**
 * Returns members for a decision entry's body: the effects, which later checks of drift and risk use, and the drift
 * itself.
 */
export function taskNote(effects: Effects, drift: readonly Drift[] = [], firstRequest?: FirstSheet) {
  const { parts, unclear } = effects;
  const summary = parts
    .slice(0, maxEffects)
    .map(({ tool, capability, target }): EffectSummary => ({ t: tool, c: capability, x: target.slice(0, maxTarget) }));
  return {
    ...(summary.length > 0 && { effects: summary }),
    ...(parts.length > summary.length && { effects_left_out: parts.length - summary.length }),
    ...(effects.carrier && { carrier: true }),
    ...(unclear !== undefined && { unclear: unclear.slice(0, maxTarget) }),
    ...(drift.length > 0 && { drift }),
    ...(firstRequest && { first_request: firstRequest }),
  };
}
