/** What drift means for the decision: noted under `warn`, a block under `enforce`. */
import type { Configuration } from '#core/contracts/config.ts';
import type { Drift, EffectSummary } from '#core/contracts/task-manifest.ts';
import type { Effects } from '#core/effects/ports.ts';

export interface ManifestBlock {
  readonly decision: 'block';
  /** `manifest:<id>`. */
  readonly matched_rule: string;
  readonly reason: string;
}

/** The block of a call that left its task, where the configuration says so. */
export function blockOfDrift(
  drift: readonly Drift[],
  { enforcement_mode }: Configuration['manifests'],
): ManifestBlock | undefined {
  const [first] = drift;
  if (!first || enforcement_mode !== 'enforce') return undefined;
  const more = drift.length > 1 ? ` (and ${drift.length - 1} more)` : '';
  return {
    decision: 'block',
    matched_rule: `manifest:${first.manifest_id}`,
    reason: `The call leaves its task: ${words(first)}${more}.`,
  };
}

const words = ({ kind, found, allowed }: Drift): string => `${kind} is ${JSON.stringify(found)}, declared: ${allowed}`;

/** As many effects as an entry keeps, and as long a target. */
const maxEffects = 32;
export const maxTarget = 200;

/** Members of a decision entry's body: effects as drift and risk are found in them later, and the drift itself. */
export function taskNote(effects: Effects, drift: readonly Drift[] = []): Record<string, unknown> {
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
  };
}
